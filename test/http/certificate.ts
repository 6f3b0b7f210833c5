/** The certificate of the test service; only the test authority vouches for it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

export const cert = readFileSync(fixture('service.pem'), 'utf8');
export const key = readFileSync(fixture('service.key'), 'utf8');
/** For NODE_EXTRA_CA_CERTS. */
export const authorityFile = fixture('ca.pem');
/** Another one with the same key, which signed itself and expired in 2020. */
export const expired = readFileSync(fixture('expired.pem'), 'utf8');
