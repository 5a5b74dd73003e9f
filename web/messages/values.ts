import type { ReactNode } from 'preact/compat';

/** A part of a message that becomes an element, such as `<b>…</b>`. */
export type Tag = (content: ReactNode) => ReactNode;

/** A name or a number, written into a message. */
export type Value = string | number;
