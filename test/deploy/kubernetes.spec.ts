import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/platform/config.js';
import { ENVIRONMENT_NAMES } from '../support/source/setting-names.js';

/* The manifests of the page on Kubernetes: all names in them lead to something that is there. */

const PAGE = readFileSync('docs/howto/run-on-kubernetes.md', 'utf8');

interface Mount {
  readonly name: string;
  readonly mountPath: string;
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Variable {
  readonly name: string;
  readonly valueFrom: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}
interface Container {
  readonly args?: readonly string[];
  readonly envFrom: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly env?: readonly Variable[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly Mount[];
  readonly securityContext: object;
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}
interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string; readonly defaultMode: number };
  readonly emptyDir?: object;
}
interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly securityContext: object;
    readonly terminationGracePeriodSeconds?: number;
    readonly containers: readonly Container[];
    readonly volumes: readonly Volume[];
  };
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
}

const manifests = [...PAGE.matchAll(/^```yaml\n(.*?)^```/gms)].flatMap(([, text]) =>
  parseAllDocuments(text!).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  }),
);
const ofKind = (kind: string): Manifest => manifests.find((manifest) => manifest.kind === kind)!;
const podOf = (kind: string): Pod => (ofKind(kind).spec as { template: Pod }).template;

const settings = ofKind('ConfigMap').data!;
/** What they say, without the key: its file is in a pod. */
const config = readConfig({ ...settings, FLEETGATE_KEY_FILE: '' });
const secretKeys = new Set([...PAGE.matchAll(/--from-(?:file|literal)=([\w-]+)=/g)].map(([, key]) => key!));

it('has the manifests of an installation, in one namespace', () => {
  const kinds = manifests.map(({ kind }) => kind);
  expect(kinds).toEqual(['ConfigMap', 'Job', 'Deployment', 'Service', 'Ingress']);
  expect(new Set(manifests.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['fleetgate']));
});

it('gives the gateway settings that it takes', () => {
  const { containers } = podOf('Deployment').spec;
  const names = [...Object.keys(settings), ...containers[0]!.env!.map(({ name }) => name)];
  expect(names.filter((name) => !ENVIRONMENT_NAMES.has(name))).toEqual([]);
  expect(config).toMatchObject({ HOST: '0.0.0.0', TRUSTED_PROXIES: ['10.244.0.0/16'] });
});

it('names in its text only settings that exist', () => {
  const named = [...PAGE.matchAll(/`([A-Z][A-Z\d]*_[A-Z\d_]+)`/g)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !ENVIRONMENT_NAMES.has(name))).toEqual([]);
});

describe.each(['Job', 'Deployment'])('the pod of the %s', (kind) => {
  const { spec, metadata } = podOf(kind);
  const [container] = spec.containers;
  const volumes = new Map(spec.volumes.map((volume) => [volume.name, volume]));

  it('finds its settings and secrets', () => {
    expect(container!.envFrom).toEqual([{ configMapRef: { name: ofKind('ConfigMap').metadata.name } }]);
    const keys = (container!.env ?? []).map(({ valueFrom: { secretKeyRef } }) => secretKeyRef);
    expect(keys.filter(({ name, key }) => name !== 'fleetgate' || !secretKeys.has(key))).toEqual([]);
  });

  it('mounts the files that settings name, from a key of the secret that its group may read', () => {
    const files = Object.entries(settings).filter(([name]) => name.endsWith('_FILE'));
    expect(files).toHaveLength(2);
    for (const [, file] of files) {
      const mount = container!.volumeMounts.find(({ mountPath }) => file.startsWith(`${mountPath}/`))!;
      expect(volumes.get(mount.name)!.secret).toEqual({ secretName: 'fleetgate', defaultMode: 0o440 });
      expect(secretKeys).toContain(file.slice(mount.mountPath.length + 1));
    }
  });

  it('mounts volumes that it has, and uses all of them', () => {
    expect(container!.volumeMounts.map(({ name }) => name).sort()).toEqual([...volumes.keys()].sort());
  });

  it('needs no right of root, and writes to no file of the image', () => {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
    expect(container!.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('has labels of its own', () => {
    const others = ['Job', 'Deployment'].filter((other) => other !== kind);
    expect(others.map((other) => podOf(other).metadata.labels)).not.toContainEqual(metadata.labels);
  });
});

it('the gateway may write where it must', () => {
  const { containers, volumes } = podOf('Deployment').spec;
  const dataDir = /DATA_DIR=(\S+)/.exec(readFileSync('Dockerfile', 'utf8'))![1]!;
  for (const folder of [dataDir, '/tmp']) {
    const { name } = containers[0]!.volumeMounts.find(({ mountPath }) => mountPath === folder)!;
    expect(volumes.find((volume) => volume.name === name)!.emptyDir).toEqual({});
  }
});

it('probes ask for paths that exist, on a port that the gateway has', () => {
  const { paths } = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as { paths: object };
  const [gateway] = podOf('Deployment').spec.containers;
  expect(gateway!.ports).toEqual([{ name: 'http', containerPort: config.PORT }]);
  const probes = [gateway!.startupProbe!, gateway!.livenessProbe!, gateway!.readinessProbe!];
  expect(probes.map(({ httpGet }) => httpGet.path).filter((path) => !(path in paths))).toEqual([]);
  expect(probes.map(({ httpGet }) => httpGet.port)).toEqual(['http', 'http', 'http']);
});

it('the service and the ingress lead to the gateway', () => {
  const { labels } = podOf('Deployment').metadata;
  expect(ofKind('Deployment').spec).toMatchObject({ selector: { matchLabels: labels } });
  expect(ofKind('Service').spec).toMatchObject({ selector: labels, ports: [{ name: 'http', targetPort: 'http' }] });
  const { name } = ofKind('Service').metadata;
  const backend = { service: { name, port: { name: 'http' } } };
  expect(ofKind('Ingress').spec).toMatchObject({ rules: [{ http: { paths: [{ path: '/', backend }] } }] });
});

it('a pod has the time for an orderly stop', () => {
  const [, limitMs] = /STOP_WITHIN_MS = ([\d_]+)/.exec(readFileSync('src/main.ts', 'utf8'))!;
  const seconds = podOf('Deployment').spec.terminationGracePeriodSeconds!;
  expect(seconds).toBeGreaterThan(Number(limitMs!.replaceAll('_', '')) / 1000 + 5);
});

it('the migration runs a command that exists', () => {
  const [node, program, ...words] = podOf('Job').spec.containers[0]!.args!;
  const source = program!.replace(/^dist\/(.*)\.js$/, '$1.ts');
  expect([node, existsSync(source), words]).toEqual(['node', true, ['migrate']]);
  expect(readFileSync(source, 'utf8')).toContain(`.command('${words[0]}')`);
});
