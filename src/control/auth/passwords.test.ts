import { hash as argon2 } from '@node-rs/argon2';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { describe, expect, it } from 'vitest';
import { decoyFor, verifyPassword } from './passwords.ts';

describe('verifyPassword', () => {
  it.each(['2a', '2b', '2y'] as const)('knows bcrypt hashes of version %s', async (version) => {
    const stored = await bcrypt('päss word', { cost: 4, version });
    expect(stored).toMatch(new RegExp(`^\\$${version}\\$`));
    expect(await verifyPassword('päss word', stored)).toBe(true);
    expect(await verifyPassword('pass word', stored)).toBe(false);
  });

  it('knows argon2id hashes', async () => {
    const stored = await argon2('päss word', { memoryCost: 1024, timeCost: 1 });
    expect(stored).toMatch(/^\$argon2id\$/);
    expect(await verifyPassword('päss word', stored)).toBe(true);
    expect(await verifyPassword('pass word', stored)).toBe(false);
  });

  it.each(['', 'plain text', '$2b$08$damaged', '$argon2id$v=19$damaged', '$6$other$kind'])(
    'fits no password to %j',
    async (stored) => {
      expect(await verifyPassword('plain text', stored)).toBe(false);
      expect(await verifyPassword(stored, stored)).toBe(false);
    },
  );
});

describe('decoyFor', () => {
  it('is one of the hashes, always the same for a name, and all of them over many names', () => {
    const hashes = ['$2b$04$a', '$2b$10$b', '$argon2id$c'];
    const names = Array.from({ length: 200 }, (_, i) => `nobody${i}`);
    expect(new Set(names.map((name) => decoyFor(name, hashes)))).toEqual(new Set(hashes));
    for (const name of names) expect(decoyFor(name, hashes)).toBe(decoyFor(name, hashes));
  });

  it('is a real hash where there are none', async () => {
    expect(decoyFor('nobody', [])).toMatch(/^\$2b\$08\$.{53}$/);
  });
});
