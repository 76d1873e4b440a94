import { expect, it } from 'vitest';
import { fileGroups, onlyGroup } from '../../../../console/src/screens/artifacts/file-groups.js';

/* Stored files of one kind as one row of the list. */

type File = Parameters<typeof fileGroups>[0][number];

const files = (...kinds: File['kind'][]): File[] => kinds.map((kind, at) => ({ id: `${at}`, kind }) as File);

const said = (given: readonly File[]) =>
  fileGroups(given).map((one) => ('files' in one ? `${one.files.length} of ${one.kind}` : one.kind));

it('joins the files of a kind with many, at the place of the newest, and leaves few alone', () => {
  const given = files('backup', 'firmware', 'backup', 'backup', 'certificate', 'backup', 'firmware');
  expect(said(given)).toEqual(['4 of backup', 'firmware', 'certificate', 'firmware']);
});

it('joins the files that many devices have issued, also where nothing else is stored', () => {
  const ofDevice = (deviceId: string | null) => ({ id: String(deviceId), kind: 'certificate', deviceId }) as File;
  expect(said(['a', 'b', 'c', 'd'].map(ofDevice))).toEqual(['4 of certificate']);
  expect(said([null, 'b', 'c', 'd'].map(ofDevice)), 'uploaded ones are the list itself').toHaveLength(4);
});

it('names the kind that is the whole list, so that it is open', () => {
  const ofDevices = ['a', 'b', 'c', 'd'].map((deviceId) => ({ id: deviceId, kind: 'certificate', deviceId }) as File);
  expect(onlyGroup(fileGroups(ofDevices))).toBe('certificate');
  expect(onlyGroup(fileGroups([...ofDevices, ...files('firmware')]))).toBe(null);
  expect(onlyGroup(fileGroups(files('firmware')))).toBe(null);
});
