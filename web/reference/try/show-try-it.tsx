import './try-it.css';
import { render } from 'preact/compat';
import type { Description } from '../description/openapi.ts';
import { keyScheme, operationsIn } from '../description/operations.ts';
import { TryIt } from './try-it.tsx';

/** Draws the form of an operation. */
export function showTryIt(place: HTMLElement, description: Description, id: string): void {
  const found = operationsIn(description).find((each) => each.id === id);
  if (!found) throw new Error('This service does not offer the operation.');
  const keyHeader = description.components.securitySchemes[keyScheme]?.name ?? '';
  place.replaceChildren();
  render(<TryIt found={found} keyHeader={keyHeader} />, place);
}
