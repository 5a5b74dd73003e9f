import { signedIn } from '../auth/scopes.ts';
import { builder, runs, timeOrNull } from '../graphql/builder.ts';
import { automationSettings, type CurrentAutomationSettings } from './automation-settings.ts';
import { updateAutomationSettings } from './update-automation-settings.ts';

const AutomationSettingsType = builder.objectRef<CurrentAutomationSettings>('AutomationSettings').implement({
  description: "Your automation settings. Settings that you never set have the operator's defaults.",
  fields: (t) => ({
    isEnabled: t.exposeBoolean('isEnabled', {
      nullable: true,
      description:
        "Whether automation is on. Null if you cleared it. If you never set it: the operator's default, or null.",
      example: true,
    }),
    sessionDuration: t.exposeInt('sessionDuration', {
      nullable: true,
      description:
        "Length of a session, in seconds. Null if you cleared it. If you never set it: the operator's default, or null.",
      example: 3600,
    }),
    userId: t.exposeInt('account', {
      nullable: true,
      description: 'Id of your account. Null until you have one.',
      example: 1,
    }),
    createdAt: t.expose('createdAt', {
      ...timeOrNull,
      description: 'When the settings were first stored. Null if they never were.',
      example: '2026-01-31T12:00:00.000Z',
    }),
    updatedAt: t.expose('updatedAt', {
      ...timeOrNull,
      description: 'When the settings were last updated. Null if they never were.',
      example: '2026-01-31T12:00:00.000Z',
    }),
  }),
});

builder.mutationFields((t) => ({
  updateAutomationSettings: t.field({
    type: AutomationSettingsType,
    description: 'Updates your automation settings. Omitted members stay as they are; null clears a member.',
    summary: 'Update automation settings',
    requiredScopes: signedIn,
    // The first change makes an account and the settings.
    neverNull: ['userId', 'createdAt', 'updatedAt'],
    args: {
      isEnabled: t.arg.boolean({ description: 'Whether automation is on.', example: true }),
      sessionDuration: t.arg.int({
        description: 'Length of a session, in seconds (60–86400, unless the operator sets other bounds).',
        example: 3600,
      }),
    },
    ...runs(updateAutomationSettings),
  }),
}));

builder.queryFields((t) => ({
  automationSettings: t.field({
    type: AutomationSettingsType,
    description: 'Returns your automation settings. Writes nothing, even if you never set anything.',
    summary: 'Get automation settings',
    requiredScopes: signedIn,
    resolve: (_root, _input, context) => automationSettings(context),
  }),
}));
