import { signedIn } from '../auth/scopes.ts';
import { builder } from '../graphql/builder.ts';
import { automationSettings, type CurrentAutomationSettings } from './automation-settings.ts';
import { updateAutomationSettings, updateAutomationSettingsInput } from './update-automation-settings.ts';

const AutomationSettingsType = builder.objectRef<CurrentAutomationSettings>('AutomationSettings').implement({
  description: 'How your automation runs, also where you never set anything.',
  fields: (t) => ({
    isEnabled: t.exposeBoolean('isEnabled', {
      nullable: true,
      description:
        'Whether automation is on; null where it was cleared. Where it was never set, what the operator has configured, else null.',
      example: true,
    }),
    sessionDuration: t.exposeInt('sessionDuration', {
      nullable: true,
      description:
        'Length of a session in seconds; null where it was cleared. Where it was never set, what the operator has configured, else null.',
      example: 3600,
    }),
    userId: t.exposeInt('account', {
      nullable: true,
      description: 'Your account; null until you have one.',
      example: 1,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the settings were first stored; null where they never were.',
      example: '2026-01-31T12:00:00.000Z',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the settings were last changed; null where they never were.',
      example: '2026-01-31T12:00:00.000Z',
    }),
  }),
});

builder.mutationField('updateAutomationSettings', (t) =>
  t.field({
    type: AutomationSettingsType,
    description: 'Changes your automation settings. What is left out stays as it is; null clears it.',
    requiredScopes: signedIn,
    input: updateAutomationSettingsInput,
    // The first change makes an account and the settings.
    neverNull: ['userId', 'createdAt', 'updatedAt'],
    args: {
      isEnabled: t.arg.boolean({ description: 'Whether automation is on.', example: true }),
      sessionDuration: t.arg.int({
        description: 'Length of a session in seconds, 60 to 86400 unless configured otherwise.',
        example: 3600,
      }),
    },
    resolve: (_root, input, context) => updateAutomationSettings(context, input),
  }),
);

builder.queryField('automationSettings', (t) =>
  t.field({
    type: AutomationSettingsType,
    description: 'Tells how your automation runs. Writes nothing, also where nothing was ever set.',
    requiredScopes: signedIn,
    resolve: (_root, _input, context) => automationSettings(context),
  }),
);
