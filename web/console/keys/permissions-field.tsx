import { useState } from 'preact/compat';
import type { Language } from '../../messages/language.ts';
import { useCeiling } from '../plan/use-entitlement.ts';
import { useHost, useLanguage } from '../ui/host.ts';
import { ListField } from './list-field.tsx';
import {
  type MayDo,
  mayDoOf,
  type Offer,
  type OfferedPermission,
  offerPermissions,
  usedPermissions,
} from './offer-permissions.ts';
import { PermissionBoxes } from './permission-boxes.tsx';
import { useApiKeys } from './use-api-keys.ts';

interface PermissionsFieldProps {
  /** The key's current permissions; undefined for a new key. */
  readonly before?: readonly string[];
  readonly issue: string | undefined;
}

const none: readonly string[] = [];

/** What can be chosen for the key, from what the page knows. */
function useOffer(before: readonly string[]): Offer {
  const { settings, language } = useHost();
  const ceiling = useCeiling();
  const { data } = useApiKeys(settings.apiKeyPermissions === null);
  const keys = data?.pages.flatMap(({ apiKeys }) => apiKeys.edges.map(({ node }) => node)) ?? [];
  return offerPermissions(language, {
    listed: settings.apiKeyPermissions,
    ceiling,
    used: usedPermissions(keys),
    before,
  });
}

/** `3 of 11 chosen`; nothing without boxes. */
function chosenInWords(
  { text }: Language,
  boxes: readonly OfferedPermission[],
  ticked: ReadonlySet<string>,
): string {
  const { length: chosen } = boxes.filter(({ permission }) => ticked.has(permission));
  return boxes.length === 0 ? '' : text('keys.may-these-chosen', { chosen, count: boxes.length });
}

/** Asks what a key may do. Permissions are boxes where they are known, and a text field where they are not. */
export function PermissionsField({ before, issue }: PermissionsFieldProps) {
  const offer = useOffer(before ?? none);
  const { boxes, canType, canChoose, canHaveAll } = offer;
  const language = useLanguage();
  const { text } = language;
  const [chosen, setChosen] = useState<MayDo>();
  const may = chosen ?? (before ? mayDoOf(before) : offer.usual);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(
    () => new Set(before?.filter((each) => each !== '*')),
  );
  const ofMay = (value: MayDo) => ({ value, isChosen: value === may, onChoose: setChosen });
  return (
    <fieldset className="boxes permissions">
      <legend>{text('keys.permissions')}</legend>
      {issue && !(canType && may === 'these') && (
        <p className="issue" role="alert">
          {issue}
        </p>
      )}
      <Choice {...ofMay('nothing')} label={text('keys.may-nothing')} hint={text('keys.may-nothing-hint')} />
      <Choice
        {...ofMay('these')}
        label={text('keys.may-these')}
        hint={canChoose ? chosenInWords(language, boxes, ticked) : text('keys.may-these-none')}
        isOpen={canChoose}
      />
      <div className="chosen" hidden={may !== 'these'}>
        <PermissionBoxes
          boxes={boxes}
          ticked={ticked}
          onChange={setTicked}
          isRefused={issue !== undefined && !canType}
        />
        <input type="hidden" name="permissions" value={[...ticked].join(' ')} />
        {canType && (
          <OtherPermissions
            label={text(boxes.length > 0 ? 'keys.permissions-other' : 'keys.permissions-typed')}
            isWithinPlan={offer.isWithinPlan}
            issue={issue}
          />
        )}
      </div>
      <Choice
        {...ofMay('everything')}
        label={text('keys.may-everything')}
        hint={text(canHaveAll ? 'keys.may-everything-hint' : 'keys.may-everything-not')}
        isOpen={canHaveAll}
      />
    </fieldset>
  );
}

interface ChoiceProps {
  readonly value: MayDo;
  readonly label: string;
  readonly hint: string;
  readonly isChosen: boolean;
  readonly isOpen?: boolean;
  readonly onChoose: (value: MayDo) => void;
}

const Choice = ({ value, label, hint, isChosen, isOpen = true, onChoose }: ChoiceProps) => (
  <label className={isOpen ? 'choice' : 'choice off'}>
    <input
      type="radio"
      name="may"
      value={value}
      checked={isChosen}
      disabled={!isOpen}
      onInput={() => onChoose(value)}
    />
    <span>
      {label} <small className="hint">{hint}</small>
    </span>
  </label>
);

interface OtherPermissionsProps {
  readonly label: string;
  readonly isWithinPlan: boolean;
  readonly issue: string | undefined;
}

function OtherPermissions({ label, isWithinPlan, issue }: OtherPermissionsProps) {
  const { rich } = useLanguage();
  const hint = rich('keys.permissions-other-hint', {
    one: <code>documents.read</code>,
    all: <code>documents.*</code>,
    bound: isWithinPlan ? 'plan' : 'provider',
  });
  return <ListField label={label} name="permissions" list={none} issue={issue} hint={hint} />;
}
