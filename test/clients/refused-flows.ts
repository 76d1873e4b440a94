/** Why the gateway refuses a flow by design. */
interface Refusal {
  /** The code of the gateway, which the answer has as `section`. */
  readonly code: string;
  readonly reason: string;
}

/** Flows that the gateway refuses by design, by client. Directly, each of them passes. */
export const REFUSED: Readonly<Record<string, Readonly<Record<string, Refusal>>>> = {
  ponika: {
    'is told that its account needs no first password': {
      code: 'own_account',
      reason: 'the password of the account of the gateway is changed with a job',
    },
  },
};
