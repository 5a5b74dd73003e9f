import { guardAddress, onMove, replaceAddress } from '../../sign-in/address.ts';
import { createPlaces, type Places } from '../ui/places.ts';

/** The place in the address of the page: the part from `#` on. */
export function createAddressPlaces(): Places {
  const { places, moveTo, mayLeave } = createPlaces(location.hash, replaceAddress);
  guardAddress(mayLeave);
  onMove(() => moveTo(location.hash));
  return places;
}
