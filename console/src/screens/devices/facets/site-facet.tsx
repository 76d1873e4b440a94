import { type ReactNode, useState } from 'react';
import { More, type Toggle } from './facet-more.js';
import styles from './facets.module.css';
import { isSameTerm } from '../selector-text.js';
import { siteTree, type SiteNode } from './site-tree.js';

/** Sites of the first level that are shown before a person asks for all. */
const SHOWN = 12;

interface SiteFacetProps {
  values: readonly { readonly value: string; readonly devices: number }[];
  others: number;
  terms: readonly string[];
  onToggle: Toggle;
}

/** Sites within sites. A site with others in it stands for all of them. */
export function SiteFacet({ values, others, terms, onToggle }: SiteFacetProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const tree = siteTree(values.map(({ value, devices }) => ({ site: value, devices })));
  return (
    <>
      <SiteNodes nodes={tree.slice(0, isOpen ? undefined : SHOWN)} terms={terms} onToggle={onToggle} />
      <More isOpen={isOpen} hidden={Math.max(0, tree.length - SHOWN)} others={others} onOpen={setOpen} />
    </>
  );
}

interface SiteNodesProps extends Pick<SiteFacetProps, 'terms' | 'onToggle'> {
  nodes: readonly SiteNode[];
}

function SiteNodes({ nodes, terms, onToggle }: SiteNodesProps): ReactNode {
  return nodes.map((node) => <Site key={node.path} node={node} terms={terms} onToggle={onToggle} />);
}

function Site({ node, terms, onToggle }: Omit<SiteNodesProps, 'nodes'> & { node: SiteNode }): ReactNode {
  const { path, name, devices, within, term } = node;
  const [isOpen, setOpen] = useState(false);
  const button = (
    <button
      type="button"
      aria-pressed={terms.some((one) => isSameTerm(one, term))}
      title={`${path} · Alt-click leaves it out`}
      onClick={(event) => onToggle(term, event)}
    >
      <span className="cut foreign">{name}</span>
      <span>{devices.toLocaleString('en')}</span>
    </button>
  );
  if (within.length === 0) return button;
  return (
    <div className={styles['branch']}>
      <button
        type="button"
        className={styles['opener']}
        aria-label={`Sites within ${path}`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? '▾' : '▸'}
      </button>
      {button}
      {isOpen && (
        <div className={styles['within']}>
          <SiteNodes nodes={within} terms={terms} onToggle={onToggle} />
        </div>
      )}
    </div>
  );
}
