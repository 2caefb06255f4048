/**
 * Thrown by helpers that call authsvc if another program answers on the host of this page. The helpers do not work there.
 */
export class Elsewhere extends Error {
  constructor() {
    super(`authsvc does not answer at ${location.origin}. Use this helper in pages that have one host with authsvc.`);
    this.name = 'Elsewhere';
  }
}
