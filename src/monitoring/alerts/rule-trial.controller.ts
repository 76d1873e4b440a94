import { Body, Controller, Inject, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Principal } from '../../auth/access/access.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { triedView, tryInput, type TryInput } from './alerts.contract.js';
import { RuleTrials } from './rule-trial.js';

@ApiTags('Alerts')
@Controller('v1/monitoring/rules/try')
export class RuleTrialController {
  constructor(@Inject(RuleTrials) private readonly trials: RuleTrials) {}

  @Post()
  @Endpoint({
    summary: 'Says what a rule would have opened in the last seven days, on devices that you may see; saves nothing',
    description:
      'Samples and states are those of the past, so the selector must name one of them. All else of a device is as it is now.',
    permission: 'monitoring.read',
    onlyReads: true,
    scans: true,
    status: 200,
    answer: triedView,
    errors: ['invalid_selector'],
  })
  try(@Body({ schema: tryInput }) body: TryInput, @CurrentActor() actor: Principal) {
    return this.trials.try(body, actor);
  }
}
