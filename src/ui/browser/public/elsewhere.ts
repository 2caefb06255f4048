/** A program other than authsvc answers at the address of this page, so helpers that ask authsvc do not work here. */
export class Elsewhere extends Error {
  constructor() {
    super(`authsvc does not answer at ${location.origin}. Use this helper in pages that have one host with authsvc.`);
    this.name = 'Elsewhere';
  }
}
