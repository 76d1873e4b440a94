import { describe, expect, it } from 'vitest';
import { ENDS_SOON_DAYS, endOf } from '../../../../console/src/api/limits/certificate-end.js';
import { planText, planUse } from '../../../../console/src/api/limits/data-plan.js';
import { proofText, shortProofText } from '../../../../console/src/screens/audit/proof-text.js';
import { SHIPPED_RULES } from '../../../../src/monitoring/alerts/shipped-rules.js';

const NOW = Date.parse('2026-11-28T12:00:00.000Z');
const inDays = (days: number) => new Date(NOW + days * 86_400_000).toISOString();

describe('the end of a certificate', () => {
  it('is soon at the same time on the screens and for the rule', () => {
    expect([-1, 11, ENDS_SOON_DAYS - 0.1, ENDS_SOON_DAYS, 99].map((days) => endOf(inDays(days), NOW))).toEqual([
      'past',
      'soon',
      'soon',
      'later',
      'later',
    ]);
    expect(SHIPPED_RULES.map(({ selector }) => selector)).toContain(`certificate<${ENDS_SOON_DAYS}d`);
  });
});

describe('the use of a data plan', () => {
  it('is amber near the plan and red above it', () => {
    const tones = [799e6, 800e6, 1_000e6, 1_001e6].map((bytes) => planUse(bytes, 1_000)?.tone);
    expect(tones).toEqual(['plain', 'warn', 'warn', 'bad']);
    expect(planText(planUse(1_040e6, 1_000)!)).toBe('104 % of 1.0 GB');
  });

  it('is not known without a plan', () => {
    expect([undefined, null, 0, '500'].map((plan) => planUse(5, plan))).toEqual([null, null, null, null]);
  });
});

describe('what is known of the log', () => {
  const verified = { at: inDays(-0.1), holds: true, lines: 332 };

  it('says which lines are unaltered, and how many are newer', () => {
    expect(proofText(verified, 464, NOW)).toMatch(
      /^All 332 lines until \d\d:\d\d are unaltered; 132 newer ones are signed, not checked yet$/,
    );
    expect(proofText(verified, 332, NOW)).toMatch(/^All 332 lines until \d\d:\d\d are unaltered$/);
    expect(shortProofText(verified, 464)).toBe('332 of 464 checked');
  });

  it('says that it does not hold', () => {
    expect(proofText({ ...verified, holds: false }, 464, NOW)).toMatch(/^The check of .* altered or are missing$/);
  });
});
