import { type RefObject, useEffect, useState } from 'react';

/** Whether an element is on the part of the page that a person sees. Of a hidden tab the queries themselves keep still. */
export function useInView(element: RefObject<Element | null>): boolean {
  const [isInView, setInView] = useState(true);
  useEffect(() => {
    const watcher = new IntersectionObserver((entries) => setInView(entries.some((entry) => entry.isIntersecting)));
    watcher.observe(element.current!);
    return () => watcher.disconnect();
  }, [element]);
  return isInView;
}
