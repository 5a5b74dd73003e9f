import type { ReactNode } from 'preact/compat';
import { useOnceMayChange } from './host.ts';

/** A dialog or a form, for somebody who may change things when it opens. */
export const ForChange = ({ children }: { readonly children: ReactNode }) =>
  useOnceMayChange() ? children : null;
