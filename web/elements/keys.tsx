import { QueryClientProvider } from '@tanstack/preact-query';
import { KeysRoute } from '../console/key/keys-route.tsx';
import { Button } from '../console/ui/button.tsx';
import { type Host, HostProvider } from '../console/ui/host.ts';
import { Bars } from '../console/ui/loading.tsx';
import { Notice } from '../console/ui/notice.tsx';

/** A person's API keys. */
export const Keys = ({ host }: { readonly host: Host }) => (
  <HostProvider value={host}>
    <QueryClientProvider client={host.queryClient}>
      <div className="spoken" lang={host.language.locale}>
        <div className="content">
          <KeysRoute />
        </div>
        <Notice />
      </div>
    </QueryClientProvider>
  </HostProvider>
);

/** Shown until the element has what it needs, also its words: until then, it speaks English. */
export const Waiting = () => (
  <div className="content">
    <div className="loading" role="status" lang="en">
      <span className="visually-hidden">Loading</span>
      <Bars />
    </div>
  </div>
);

interface FaultProps {
  /** A sentence. */
  readonly message: string;
  readonly onRetry: () => void;
}

/** Shown if the element cannot start. It speaks English: its words may be what is missing. */
export const Fault = ({ message, onRetry }: FaultProps) => (
  <div className="content">
    <div className="problem" role="alert" lang="en">
      <p>{message}</p>
      <Button onClick={onRetry}>Try again</Button>
    </div>
  </div>
);
