import { randomBytes } from 'node:crypto';
import { secretsIn } from '../../../src/jobs/kind-api/secret-fields.js';
import { LATEST_VERSION } from '../../../src/simulator/device/profile.js';
import { isDeprecated, type OptionRule } from '../../../src/simulator/device/service-declaration.js';
import { type KindWorld } from '../jobs/kind-world.js';
import { otherValue, settableServices, type SettableService } from './option-values.js';

/*
 * Sets each option that a simulated device declares by a template and a job of the kind `reconcile`, and compares the device with the
 * template afterwards by the plan of its draft, which knows of no form. Many options go at once; where the device refuses them,
 * fewer, down to one. So each option is judged on its own.
 */

interface Setting {
  readonly service: SettableService;
  readonly option: string;
  readonly value: string | string[];
}

export interface EveryOption {
  /** Options that were set and read again. */
  readonly cases: number;
  /** Such as `/api/ntp/global interval`: what the device has afterwards is not what was set. */
  readonly differences: readonly string[];
  /** What the device, or a guarded change, does not take, with the reason. */
  readonly refused: readonly string[];
}

const SERVICES_AT_ONCE = 8;

let count = 0;

export async function setEveryOption(world: KindWorld, index: number): Promise<EveryOption> {
  const result = { cases: 0, differences: [] as string[], refused: [] as string[] };
  const device = world.fleet.devices[index]!;
  const version = device.behaviour.anyVersion ? undefined : LATEST_VERSION;
  const services = settableServices(device);
  for (let at = 0; at < services.length; at += SERVICES_AT_ONCE) {
    const settings = services.slice(at, at + SERVICES_AT_ONCE).flatMap((service) => settingsOf(service, version));
    // An option sets the one that it is the opposite of, so the two are not set at once.
    const opposite = ({ service, option }: Setting) => service.declaration.options[option]!.inverseOf !== undefined;
    for (const part of [settings.filter((one) => !opposite(one)), settings.filter(opposite)])
      await setAll(world, index, part, result);
  }
  return result;
}

/** An option that is deprecated in the version is taken, and not stored. */
function settingsOf(service: SettableService, version: number | undefined): Setting[] {
  const { declaration, section } = service;
  return Object.entries(declaration.options).flatMap(([option, rule]) => {
    const value = isDeprecated(rule, version) ? null : otherValue(rule, section[option]);
    return value === null ? [] : [{ service, option, value }];
  });
}

type Result = { -readonly [Key in keyof EveryOption]: EveryOption[Key] extends readonly string[] ? string[] : number };

async function setAll(world: KindWorld, index: number, settings: readonly Setting[], result: Result): Promise<void> {
  if (settings.length === 0) return;
  const name = `every-${++count}`;
  const { api } = world.gateway;
  const failure = await applied(world, index, name, settings);
  if (failure === null) {
    result.cases += settings.length;
    const plan = await api.post<{ options: { path: string; option: string }[]; leftOut: { reason: string }[] }>(
      `/v1/templates/${name}/plan`,
      { samples: 0 },
    );
    result.differences.push(...plan.options.map(({ path, option }) => `${path} ${option}`));
    result.differences.push(...plan.leftOut.map(({ reason }) => `${reason} after ${name}`));
  } else if (settings.length === 1)
    result.refused.push(`${settings[0]!.service.path} ${settings[0]!.option}: ${failure}`);
  await api.send('DELETE', `/v1/templates/${name}`).catch(() => undefined); // one that was refused is not there
  if (failure === null || settings.length === 1) return;
  const half = Math.ceil(settings.length / 2);
  await setAll(world, index, settings.slice(0, half), result);
  await setAll(world, index, settings.slice(half), result);
}

/** @returns why it could not be set; null after the job */
async function applied(world: KindWorld, index: number, name: string, settings: readonly Setting[]) {
  const { api } = world.gateway;
  try {
    const items = await itemsOf(world, settings);
    await api.post('/v1/templates', { name, selector: `id:${world.ids[index]}`, items });
    await api.post(`/v1/templates/${name}/publish`, { reason: 'every option' });
    const jobId = await world.start(index, 'reconcile', { template: name, acceptRisk: true });
    const { outcome, failure } = await world.ended(jobId);
    return outcome === 'succeeded'
      ? null
      : `${outcome} ${failure?.code} ${JSON.stringify(failure?.facts)}`.slice(0, 300);
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 300) : String(error);
  }
}

/** An item for each section. A secret is a sealed value: what the device never answers, and what looks like one to the gateway. */
async function itemsOf(world: KindWorld, settings: readonly Setting[]): Promise<object[]> {
  const services = new Set(settings.map(({ service }) => service));
  return Promise.all(
    [...services].map(async (service) => {
      const { path, declaration, section } = service;
      const options: Record<string, string | string[]> = {};
      const sealed: object[] = [];
      for (const { option, value } of settings.filter((one) => one.service === service)) {
        const rule = declaration.options[option]!;
        const isSecret = rule.secret !== false || secretsIn({ [option]: value }, path).length > 0;
        if (isSecret) sealed.push({ option, valueId: await sealedId(world, option, rule, value) });
        else options[option] = value;
      }
      return { path, key: declaration.kind === 'record' ? {} : { id: section.id }, options, sealed };
    }),
  );
}

/** Of a value that is nowhere else: the gateway of a test looks for it in all rows at the end. */
async function sealedId(world: KindWorld, label: string, { type }: OptionRule, value: string | string[]) {
  const own = { key: randomBytes(32).toString('base64'), text: randomBytes(8).toString('hex') };
  const secret = type === 'key' || type === 'text' ? own[type] : String(value);
  return (await world.gateway.api.post<{ id: string }>('/v1/sealed-values', { label, value: secret })).id;
}
