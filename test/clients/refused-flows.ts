/** Flows that the gateway refuses by design, by client, with the reason. Directly, each of them passes. */
export const REFUSED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ponika: {
    'is told that its account needs no first password':
      'own_account: the password of the account of the gateway is changed with a job',
  },
};
