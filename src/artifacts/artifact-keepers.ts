import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';

/** Who needs an artifact, by what they are: `rollouts`, with their ids. */
export type ArtifactNeeds = Readonly<Record<string, readonly string[]>>;

/** Says who needs an artifact that must not be deleted now; asked in the transaction that would delete it. */
export type ArtifactKeeper = (tx: EntityManager, artifactId: string) => Promise<ArtifactNeeds>;

/** What needs artifacts beside jobs, and that jobs know nothing about: each part says so for itself. */
@Injectable()
export class ArtifactKeepers {
  private readonly keepers: ArtifactKeeper[] = [];

  add(keeper: ArtifactKeeper): void {
    this.keepers.push(keeper);
  }

  /** @returns only needs that there are */
  async needsOf(tx: EntityManager, artifactId: string): Promise<ArtifactNeeds> {
    const needs: Record<string, readonly string[]> = {};
    for (const keeper of this.keepers) Object.assign(needs, await keeper(tx, artifactId));
    return Object.fromEntries(Object.entries(needs).filter(([, ids]) => ids.length > 0));
  }
}
