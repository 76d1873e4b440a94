import { Injectable } from '@nestjs/common';
import { type JobTemplates } from '../kind-api/step-context.js';
import { type JobRow } from '../rows/job.entity.js';

/** What templates say of the device of a job. Templates stand right of jobs, so their module registers it here. */
@Injectable()
export class TemplateSource {
  private source: ((job: JobRow) => JobTemplates) | null = null;

  serve(source: (job: JobRow) => JobTemplates): void {
    this.source = source;
  }

  /** @throws Error where no module serves templates */
  for(job: JobRow): JobTemplates {
    if (!this.source) throw new Error('Nothing serves templates');
    return this.source(job);
  }
}
