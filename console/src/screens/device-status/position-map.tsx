import { useQuery } from '@tanstack/react-query';
import { geoMercator, geoPath } from 'd3-geo';
import { type ReactNode } from 'react';
import { feature } from 'topojson-client';
import landUrl from 'world-atlas/land-110m.json?url';
import styles from './status.module.css';
import { KEYS } from '../../api/keys/query-keys.js';

const [WIDTH, HEIGHT] = [320, 150];

/** About the width of a large country. */
const SCALE = 600;

/** The line at which land is cut off is not seen. */
const EDGE = 4;

type Topology = Parameters<typeof feature>[0];

/** The outlines of land around a position. They come from the gateway itself, so that no map server learns where devices are. */
export function PositionMap({ latitude, longitude }: { latitude: number; longitude: number }): ReactNode {
  const { data: land } = useQuery({
    queryKey: KEYS.land.all,
    queryFn: ({ signal }) => readLand(signal),
    staleTime: Infinity,
  });
  const projection = geoMercator()
    .center([longitude, latitude])
    .scale(SCALE)
    .translate([WIDTH / 2, HEIGHT / 2])
    .clipExtent([
      [-EDGE, -EDGE],
      [WIDTH + EDGE, HEIGHT + EDGE],
    ]);
  const outline = land ? geoPath(projection)(land) : null;
  return (
    <svg
      className={styles['map']}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="xMidYMid slice"
      role="img"
      aria-label="Where the device is"
    >
      {outline && <path d={outline} />}
      <circle cx={WIDTH / 2} cy={HEIGHT / 2} r={5} />
    </svg>
  );
}

async function readLand(signal: AbortSignal) {
  const topology = (await (await fetch(landUrl, { signal })).json()) as Topology;
  return feature(topology, topology.objects['land']!);
}
