import { expect, it } from 'vitest';
import { firmwareParts, modelText } from '../../../../console/src/api/device-texts.js';
import { siteTree, type SiteNode } from '../../../../console/src/screens/devices/facets/site-tree.js';

const lines = (nodes: readonly SiteNode[], indent = ''): string[] =>
  nodes.flatMap(({ name, devices, within }) => [`${indent}${name} ${devices}`, ...lines(within, `${indent}  `)]);

it('has sites within sites, in the order of people, each with the devices within it', () => {
  const tree = siteTree([
    { site: 'vilnius/plant-10', devices: 4 },
    { site: 'vilnius/plant-2/hall', devices: 1 },
    { site: 'kaunas', devices: 2 },
    { site: 'vilnius/plant-2', devices: 3 },
  ]);
  expect(lines(tree)).toEqual(['kaunas 2', 'vilnius 8', '  plant-2 4', '    hall 1', '  plant-10 4']);
  expect(tree[1]!.within[0]!.within[0]!.path).toBe('vilnius/plant-2/hall');
  const terms = (nodes: readonly SiteNode[]): string[] => nodes.flatMap(({ term, within }) => [term, ...terms(within)]);
  expect(terms(tree)).toEqual([
    'site=kaunas',
    'site:vilnius/*',
    '(site=vilnius/plant-2 | site:vilnius/plant-2/*)',
    'site=vilnius/plant-2/hall',
    'site=vilnius/plant-10',
  ]);
  const odd = siteTree(['a b/1', 'a b/2'].map((site) => ({ site, devices: 1 })));
  expect(odd[0]!.term).toBe('(site="a b/1" | site="a b/2")');
  expect(siteTree([{ site: '', devices: 1 }])).toMatchObject([{ name: '', devices: 1 }]);
});

it('says firmware by its version, and models without their maker', () => {
  expect(firmwareParts('RUT2M_R_00.07.16.3')).toEqual({ version: '07.16.3', family: 'RUT2M' });
  expect(firmwareParts('TRB500_R_07.21')).toEqual({ version: '07.21', family: 'TRB500' });
  expect(firmwareParts('my_build')).toEqual({ version: 'my_build', family: null });
  expect(firmwareParts('07.16.3')).toEqual({ version: '07.16.3', family: null });
  expect([modelText('Teltonika RUT241'), modelText('RUT241')]).toEqual(['RUT241', 'RUT241']);
});
