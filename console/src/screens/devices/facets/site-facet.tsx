import { type ReactNode, useState } from 'react';
import { More } from './facet-more.js';
import { FacetRow, type Filtered } from './facet-row.js';
import styles from './facets.module.css';
import { siteTree, type SiteNode } from './site-tree.js';

/** Sites of the first level that are shown before a person asks for all. */
const SHOWN = 12;

interface SiteFacetProps extends Filtered {
  values: readonly { readonly value: string; readonly devices: number }[];
  others: number;
}

/** Sites within sites. A site with others in it stands for all of them. */
export function SiteFacet({ values, others, ...filtered }: SiteFacetProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const tree = siteTree(values.map(({ value, devices }) => ({ site: value, devices })));
  return (
    <>
      <SiteNodes nodes={tree.slice(0, isOpen ? undefined : SHOWN)} {...filtered} />
      <More isOpen={isOpen} hidden={Math.max(0, tree.length - SHOWN)} others={others} onOpen={setOpen} />
    </>
  );
}

interface SiteNodesProps extends Filtered {
  nodes: readonly SiteNode[];
}

function SiteNodes({ nodes, ...filtered }: SiteNodesProps): ReactNode {
  return nodes.map((node) => <Site key={node.path} node={node} {...filtered} />);
}

function Site({ node, ...filtered }: Omit<SiteNodesProps, 'nodes'> & { node: SiteNode }): ReactNode {
  const { path, name, devices, within, term } = node;
  const [isOpen, setOpen] = useState(false);
  const button = (
    <FacetRow value={path} term={term} devices={devices} {...filtered}>
      {name}
    </FacetRow>
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
          <SiteNodes nodes={within} {...filtered} />
        </div>
      )}
    </div>
  );
}
