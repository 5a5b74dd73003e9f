/** How many requests in a row must fail until Keyward is not asked for a while. */
const mostFaults = 5;

/** For how long, in milliseconds. */
const restFor = 2000;

/**
 * Says how a request to Keyward ended: `true` if Keyward failed, `false` if it answered, undefined if it was not asked.
 */
type Report = (hasFailed: boolean | undefined) => void;

/**
 * Makes a circuit breaker: nobody waits for a Keyward that does not work. Once the rest is over, one request tries,
 * and the others are refused. If nobody hears how it ended, as where a runtime drops it with its client, another tries.
 * @returns asks whether a request may be sent: undefined if not, else what to call when it has ended
 */
export function createCircuit(): () => Report | undefined {
  let faults = 0;
  let triesAt = 0;
  // Grows when the circuit opens and closes: how requests ended that began before says nothing about the present.
  let era = 0;
  const isOpen = () => faults >= mostFaults;

  const report = (hasFailed: boolean | undefined): void => {
    const wasOpen = isOpen();
    if (hasFailed !== undefined) faults = hasFailed ? faults + 1 : 0;
    triesAt = hasFailed ? performance.now() + restFor : 0;
    if (isOpen() !== wasOpen) era += 1;
  };

  return () => {
    if (isOpen()) {
      if (performance.now() < triesAt) return undefined;
      triesAt = performance.now() + restFor;
    }
    const mine = era;
    return (hasFailed) => {
      if (mine === era) report(hasFailed);
    };
  };
}
