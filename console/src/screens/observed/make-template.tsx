import { type ReactNode } from 'react';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { useGo } from '../../ui/to.js';
import { isTemplatePath } from '../templates/template-paths.js';
import { type Group } from './alike.js';

/** The next step where routers differ: what most of them have becomes a template, which sets the others to it. */
export function MakeTemplate({ path, most }: { path: string; most: Group | undefined }): ReactNode {
  const may = useMay('template.edit');
  const go = useGo();
  if (!may || !most || !isTemplatePath(path)) return null;
  return (
    <Button
      kind="primary"
      title={`Of ${most.sample.name}, as one of those that have it`}
      onClick={() => go('/templates', { make: 'adopt', from: `id=${most.sample.id}`, paths: path })}
    >
      Make a template of the baseline
    </Button>
  );
}
