/* What a control of the browser holds as a time, in one form for all: the control itself may draw it with AM and PM. Pure. */

/** The time zone of the reader. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** `2 Jan 2026, 15:04 (24-hour), Europe/Vilnius`; of what is empty the zone alone. @param value `15:04`, or with a day `2026-01-02T15:04` */
export function typedTimeText(value: string, zone?: string): string {
  const [, day, time] = /^(?:(\d{4}-\d\d-\d\d)T)?(\d\d:\d\d)/.exec(value) ?? [];
  const parts = [day && DAY.format(Date.parse(day)), time && `${time} (24-hour)`, zone];
  return parts.filter(Boolean).join(', ');
}
