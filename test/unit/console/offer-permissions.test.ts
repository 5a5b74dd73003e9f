import { describe, expect, it } from 'vitest';
import { mayDoOf, offerPermissions, usedPermissions } from '../../../web/console/keys/offer-permissions.ts';
import { english } from '../../support/languages.ts';

const nothing = { listed: null, ceiling: null, used: [], before: [] };
const listed = ['documents.read', 'documents.write', 'reports.read'];
const box = (permission: string, note?: string, isOpen = note === undefined) => ({
  permission,
  isOpen,
  ...(note && { note }),
});

it.each([
  [[], 'nothing'],
  [['documents.read'], 'these'],
  [['documents.*'], 'these'],
  [['documents.read', '*'], 'everything'],
])('a key with %j may do: %s', (permissions, may) => {
  expect(mayDoOf(permissions)).toBe(may);
});

describe('offerPermissions', () => {
  it('nobody lists permissions → those of other keys, and a field; nothing special at first', () => {
    expect(offerPermissions(english, { ...nothing, used: ['mail.send', 'documents.*'] })).toEqual({
      boxes: [box('documents.*'), box('mail.send')],
      canType: true,
      canChoose: true,
      canHaveAll: true,
      isWithinPlan: false,
      usual: 'nothing',
    });
  });

  it('the provider lists permissions → these and no field, whatever other keys have', () => {
    expect(offerPermissions(english, { ...nothing, listed, used: ['mail.send'] })).toMatchObject({
      boxes: listed.map((permission) => box(permission)),
      canType: false,
      usual: 'these',
    });
  });

  it('the plan allows fewer → the others are shown, and cannot be chosen', () => {
    const offer = offerPermissions(english, { ...nothing, listed, ceiling: ['documents.*'] });
    expect(offer.boxes).toEqual([
      box('documents.read'),
      box('documents.write'),
      box('reports.read', 'not in your plan'),
    ]);
    expect(offer.canHaveAll).toBe(false);
  });

  it('what a key has already stays open, with a reason if it does not work', () => {
    const before = ['*', 'reports.read', 'old.read', 'documents.*'];
    const offer = offerPermissions(english, { ...nothing, listed, ceiling: ['documents.*'], before });
    expect(offer.boxes).toEqual([
      box('documents.*'),
      box('documents.read'),
      box('documents.write'),
      box('old.read', 'no longer offered', true),
      box('reports.read', 'not in your plan', true),
    ]);
    expect(offer.canHaveAll).toBe(true);
  });

  it.each([
    ['names only', ['documents.read'], { canType: false, usual: 'these' }],
    ['a wildcard', ['documents.*'], { canType: true, usual: 'these', isWithinPlan: true }],
    ['everything', ['*', 'documents.read'], { canType: true, usual: 'nothing', isWithinPlan: false }],
    ['nothing', [], { canType: false, canChoose: false, canHaveAll: false, usual: 'nothing' }],
  ])('only the plan lists permissions, and allows %s', (_what, ceiling, offer) => {
    expect(offerPermissions(english, { ...nothing, ceiling })).toMatchObject(offer);
  });
});

describe('usedPermissions', () => {
  it('those of active keys, the most frequent first, without *', () => {
    const keys = [
      { isActive: true, permissions: ['a.read', '*'] },
      { isActive: true, permissions: ['b.read', '*'] },
      { isActive: true, permissions: ['b.read'] },
      { isActive: false, permissions: ['c.read'] },
    ];
    expect(usedPermissions(keys)).toEqual(['b.read', 'a.read']);
  });

  it('30 at most', () => {
    const permissions = Array.from({ length: 50 }, (_, index) => `p${index}.read`);
    expect(usedPermissions([{ isActive: true, permissions }])).toEqual(permissions.slice(0, 30));
  });
});
