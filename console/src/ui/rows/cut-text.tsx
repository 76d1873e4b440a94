import { type ReactNode } from 'react';

/** The part of a name that tells it from its neighbours: `/plant-2` of `gdansk/plant-2`, `-08` of `gdansk-kiosk-08`. */
const LAST_PART = /^(.{4,}?)([/\-_. ]?[^/\-_. ]{1,5}|\/[^/]{1,12})$/u;

/** Of a path: its last part, which says what is done. */
const PATH_END = /^(.*\/.{3,}?)(\/[^/]{1,28})$/u;

/** Right-to-left texts are cut at their own end. */
const PLAIN = /^[\u0020-\u024f]*$/u;

/** A name that is cut before its last part where it has no room: names of a fleet begin alike and differ at their end. */
export function CutText({ text }: { text: string }): ReactNode {
  const [, head, tail] = (PLAIN.test(text) && (PATH_END.exec(text) ?? LAST_PART.exec(text))) || [];
  if (!head || !tail)
    return (
      <span className="cut foreign" title={text}>
        {text}
      </span>
    );
  return (
    <span className="cut-middle foreign" title={text}>
      <span>{head}</span>
      <span>{tail}</span>
    </span>
  );
}
