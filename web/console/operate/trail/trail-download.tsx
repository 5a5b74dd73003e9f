import { useEffect, useRef, useState } from 'preact/compat';
import { Button } from '../../ui/button.tsx';
import { useHost, useLanguage } from '../../ui/host.ts';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { useAction } from '../../ui/use-action.ts';
import { downloadEvents } from './download-events.ts';
import { dayIn, type TrailFilter } from './trail-filter.ts';

/** How long a browser may take to begin to save a file, in milliseconds. */
const patience = 60_000;

/** Lets the browser save a file. */
function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), patience);
}

/** Downloads all events of the filter. The download ends if the person leaves this view. */
function useDownload(filter: TrailFilter) {
  const { notify } = useHost();
  const language = useLanguage();
  const action = useAction();
  const [count, setCount] = useState(0);
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const download = async () => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setCount(0);
    try {
      const saved = await downloadEvents(language, filter, { signal, onCount: setCount });
      const name = `audit-events-${dayIn(new Date())}.ndjson`;
      save(saved.file, name);
      notify(language.text('operate.trail-saved', { count: saved.count, name }));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  return {
    ...action,
    count,
    start: () => void action.run(download),
    cancel: () => {
      running.current?.abort();
      notify(language.text('operate.trail-cancelled'));
    },
  };
}

/** Saves all events that match as a file. */
export function TrailDownload({ filter }: { readonly filter: TrailFilter }) {
  const { root } = useHost();
  const { text } = useLanguage();
  const { pending, problem, count, start, cancel } = useDownload(filter);
  /** Does what another button is for, which is then gone. */
  const andFocus = (act: () => void) => () => {
    act();
    root.getElementById('download')?.focus();
  };
  return (
    <div className="trail-download">
      <Button id="download" pending={pending} onClick={start}>
        {text('operate.trail-download')}
      </Button>
      {pending && (
        <Button look="quiet" onClick={andFocus(cancel)}>
          {text('operate.trail-cancel')}
        </Button>
      )}
      <p className="hint">
        {pending ? text('operate.trail-downloading', { count }) : text('operate.trail-download-hint')}
      </p>
      <ProblemNote problem={problem} onRetry={andFocus(start)} />
    </div>
  );
}
