import { expect, test } from 'vitest';
import { eachDatabase } from '../kit/each-database.ts';
import { startApp } from '../kit/start-app.ts';

eachDatabase('password login', (database) => {
  test('the right password opens a session and sets one sealed cookie that ends with it', async (t) => {
    const app = await startApp(t, { database });
    const ada = await app.seedUser({ username: 'ada' });
    const client = app.client();

    const reply = await client.login(ada);

    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ success: true, message: 'Login successful' });
    const cookie = reply.cookies.find(({ name }) => name === 'session_id');
    expect(cookie?.attributes).toMatchObject({ httponly: true, samesite: 'Lax', path: '/' });
    expect(cookie?.value).toMatch(/^v1\./);
    const { body } = await client.get('/authsvc/api/checkSession');
    expect(body.session_valid).toBe(true);
    const end = Date.parse(String(cookie?.attributes.expires));
    expect(Math.abs(Date.parse(String(body.expiry)) - end)).toBeLessThan(1500);
  });

  test('a wrong password is refused and sets no cookie', async (t) => {
    const app = await startApp(t, { database });
    const ada = await app.seedUser();

    const reply = await app.client().login({ ...ada, password: 'wrong-horse' });

    expect(reply.status).toBe(401);
    expect(reply.body).toMatchObject({ message: 'Incorrect Username Or Password', code: 'PASSWORD_INCORRECT', error_code: 601 });
    expect(reply.cookies).toEqual([]);
  });
});
