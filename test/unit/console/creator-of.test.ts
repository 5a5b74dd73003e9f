import { describe, expect, it } from 'vitest';
import { creatorOf } from '../../../web/console/keys/creator-of.ts';
import { english, german } from '../../support/languages.ts';

const account = (ownId: number | undefined) => ({
  organization: 'Acme',
  mayChange: true,
  ownId,
  organizationOf: () => undefined,
});

describe('creatorOf', () => {
  it.each([
    ['the person who looks', 12, 12, 'You', 'Ihnen'],
    ['another member', 12, 13, 'Member 12', 'Mitglied 12'],
    ['a member, for somebody without a known account', 12, undefined, 'Member 12', 'Mitglied 12'],
    [
      'nobody who is known any more',
      null,
      12,
      'A former member, or the provider',
      'einem früheren Mitglied oder dem Anbieter',
    ],
    [
      'nobody who is known any more, for somebody without a known account',
      null,
      undefined,
      'A former member, or the provider',
      'einem früheren Mitglied oder dem Anbieter',
    ],
  ])('%s', (_who, createdBy, ownId, inEnglish, inGerman) => {
    expect(creatorOf(english, { createdBy }, account(ownId))).toBe(inEnglish);
    expect(creatorOf(german, { createdBy }, account(ownId))).toBe(inGerman);
  });
});
