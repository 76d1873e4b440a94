/* The modems of the families: identity, firmware and bands as recorded from real devices, or as their relatives have them (chosen). */

interface Bands {
  readonly gsm: readonly number[];
  readonly wcdma: readonly number[];
  readonly lte: readonly number[];
  /** Of both ways of 5G. */
  readonly nr: readonly number[];
}

export interface ModemHardware {
  readonly id: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly version: string;
  readonly cfgVersion: string | null;
  readonly description: string;
  /** USB ids. */
  readonly vendor: string;
  readonly product: string;
  readonly gps: string;
  readonly bands: Bands;
}

const QUECTEL_5G = {
  manufacturer: 'Quectel',
  model: 'RG501Q-EU',
  description: 'Quectel RG50X',
  vendor: '2c7c',
  product: '0800',
  gps: '1',
  bands: {
    gsm: [],
    wcdma: [850, 900, 2100],
    lte: [1, 3, 5, 7, 8, 20, 28, 32, 38, 40, 41, 42, 43],
    nr: [1, 3, 5, 7, 8, 20, 28, 38, 40, 41, 77, 78],
  },
};

const EG06 = {
  manufacturer: 'Quectel',
  model: 'EG06-E',
  version: 'EG06ELAR04A25M4G',
  cfgVersion: null,
  description: 'Quectel EG06',
  vendor: '2c7c',
  product: '0306',
  gps: '1',
  bands: {
    gsm: [],
    wcdma: [850, 900, 1800, 2100],
    lte: [1, 3, 5, 7, 8, 20, 28, 32, 38, 40, 41],
    nr: [],
  },
};

/** What stands for the modem of a device that has none: no answer shows it. */
export const NO_MODEM: ModemHardware = { ...EG06, id: '' };

export const MODEMS = {
  RUTX50: { ...QUECTEL_5G, id: '2-1', version: 'RG501QEUAAR12A11M4G', cfgVersion: '04.202.04.202' },
  TRB500: { ...QUECTEL_5G, id: '3-1', version: 'RG501QEUAAR12A07M4G', cfgVersion: '04.001.04.001' },
  RUT950: {
    id: '1-1',
    manufacturer: 'Quectel',
    model: 'EC25-AU',
    version: 'EC25AUFAR06A12M4G_01.001.01.001',
    cfgVersion: null,
    description: 'Quectel EC25',
    vendor: '2c7c',
    product: '0125',
    gps: '1',
    bands: {
      gsm: [850, 900, 1800, 1900],
      wcdma: [850, 900, 1900, 2100],
      lte: [1, 2, 3, 4, 5, 7, 8, 28, 40],
      nr: [],
    },
  },
  RUT241: {
    id: '1-1',
    manufacturer: 'Meiglink',
    model: 'SLM750-VE',
    version: 'SLM750-V_4.57.20_EQ101',
    cfgVersion: null,
    description: 'MeigLink SLM750',
    vendor: '05c6',
    product: 'f601',
    gps: '3',
    bands: { gsm: [900, 1800], wcdma: [850, 900, 2100], lte: [1, 3, 5, 7, 8, 20, 40], nr: [] },
  },
  TRB140: {
    id: '3-1',
    manufacturer: 'Quectel',
    model: 'EC25-EU',
    version: 'EC25EUGAR06A05M4G',
    cfgVersion: 'BETA1108_01.005.00.000',
    description: 'Quectel EC25/EG25',
    vendor: '2c7c',
    product: '0125',
    gps: '1',
    bands: { gsm: [900, 1800], wcdma: [900, 2100], lte: [1, 3, 7, 8, 20, 28, 38, 40, 41], nr: [] },
  },
  RUTX12: { ...EG06, id: '3-1' },
  RUTX12_SECOND: { ...EG06, id: '1-1.2' },
  RUTX11: { ...EG06, id: '3-1' },
  RUT956: {
    id: '1-1',
    manufacturer: 'Meiglink',
    model: 'SLM770-A',
    version: 'SLM770A_3.0.26_EQ102',
    cfgVersion: null,
    description: 'MeigLink SLM770',
    vendor: '2dee',
    product: '4d57',
    gps: '3',
    bands: { gsm: [], wcdma: [900, 2100], lte: [1, 3, 5, 7, 8, 20, 28, 38, 40, 41], nr: [] },
  },
  RUTM50: { ...QUECTEL_5G, id: '2-1', version: 'RG501QEUAAR12A11M4G', cfgVersion: '04.202.04.202' },
  OTD500: { ...QUECTEL_5G, id: '2-1', version: 'RG501QEUAAR12A11M4G', cfgVersion: '04.202.04.202' },
} satisfies Record<string, ModemHardware>;

/** As `board.modems[].band_list` has them. */
export const bandList = ({ bands: { gsm, wcdma, lte, nr } }: ModemHardware): string[] => [
  ...gsm.map((band) => `GSM_${band}`),
  ...wcdma.map((band) => `WCDMA_${band}`),
  ...lte.map((band) => `LTE_B${band}`),
  ...nr.flatMap((band) => [`NSA_5G_N${band}`, `5G_N${band}`]),
];

/** As `service_modes` of the status has them: by generation, without those that the modem lacks. */
export function serviceModes({ bands: { gsm, wcdma, lte, nr } }: ModemHardware): Record<string, string[]> {
  const all = {
    '2G': gsm.map((band) => `gsm_${band}`),
    '3G': wcdma.map((band) => `wcdma_${band}`),
    '4G': lte.map((band) => `lte_b${band}`),
    '5G_NSA': nr.map((band) => `nsa_5g_n${band}`),
    '5G_SA': nr.map((band) => `5g_n${band}`),
  };
  return Object.fromEntries(Object.entries(all).filter(([, modes]) => modes.length > 0));
}
