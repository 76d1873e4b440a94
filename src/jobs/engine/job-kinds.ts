/** The injection token of the kinds of job. */
export const KINDS = Symbol('job kinds');
