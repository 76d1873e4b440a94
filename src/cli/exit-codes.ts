/** How a command ends; scripts rely on these numbers. */
export const EXIT = {
  done: 0,
  error: 1,
  usage: 2,
  someFailed: 3,
  notSignedIn: 4,
  notFound: 5,
  conflict: 6,
  notPermitted: 7,
  stillRunning: 8,
  auditIncorrect: 9,
  waitsForPerson: 10,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_STATUS: Readonly<Record<number, ExitCode>> = {
  401: EXIT.notSignedIn,
  403: EXIT.notPermitted,
  404: EXIT.notFound,
  409: EXIT.conflict,
  412: EXIT.conflict,
  423: EXIT.notPermitted,
};

/** The code of an answer of the gateway that is an error. */
export const exitCodeOf = (status: number): ExitCode => BY_STATUS[status] ?? EXIT.error;

/** The command was written in a way that it cannot be carried out. */
export class UsageError extends Error {}

/** A command ends with a code of its own, after its output. */
export class CommandFailure extends Error {
  constructor(
    readonly exitCode: ExitCode,
    message: string,
  ) {
    super(message);
  }
}
