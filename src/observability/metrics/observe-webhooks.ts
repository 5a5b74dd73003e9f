import { Counter, Gauge, type Registry } from '@prometheus-io/client';

/** Webhooks, as far as they are watched. */
export interface WatchedWebhooks {
  readonly counts: Readonly<Record<'delivered' | 'failed' | 'parked', number>>;
  readonly waiting: { readonly count: number; readonly since: Date | undefined };
}

/** Shows what came of webhooks, how many deliveries wait, and for how long the oldest has. */
export function observeWebhooks(registry: Registry, webhooks: WatchedWebhooks): void {
  const registers = [registry];
  new Counter({
    name: 'keyward_webhook_deliveries_total',
    help: 'Attempts to send a webhook that were taken or failed, and deliveries that were given up.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, times] of Object.entries(webhooks.counts)) this.inc({ outcome }, times);
    },
  });
  new Gauge({
    name: 'keyward_webhook_deliveries_waiting',
    help: 'Webhooks that wait to be sent, at the most 10,000: they are not counted further.',
    registers,
    // All workers count the same.
    aggregator: 'max',
    collect() {
      this.set(webhooks.waiting.count);
    },
  });
  new Gauge({
    name: 'keyward_webhook_oldest_waiting_seconds',
    help: 'For how long the oldest webhook has waited that is not taken yet.',
    registers,
    aggregator: 'max',
    collect() {
      const { since } = webhooks.waiting;
      this.set(since ? Math.max(0, (Date.now() - since.getTime()) / 1000) : 0);
    },
  });
}
