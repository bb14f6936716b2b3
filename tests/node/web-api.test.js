// @slack/web-api: forms with JSON inside, multipart uploads, cursors, errors.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebClient } from '@slack/web-api';
import { HOME, startPlayground, streamInto, until } from './playground.js';

let playground;
let client;
let channel;

before(async () => {
  playground = await startPlayground();
  client = new WebClient(playground.botToken, { slackApiUrl: playground.apiUrl });
  channel = playground.channels.api;
});
after(() => playground.stop());

test('says who it is, with its scopes', async () => {
  const me = await client.auth.test();
  assert.equal(me.user_id, playground.botUser);
  assert.ok(me.response_metadata.scopes.includes('chat:write'));
});

test('posts blocks, answers in the thread, edits, deletes', async () => {
  const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: '*hi*' } }];
  const root = await client.chat.postMessage({ channel, text: 'hi', blocks });
  const reply = await client.chat.postMessage({ channel, text: 'reply', thread_ts: root.ts });
  await client.chat.update({ channel, ts: reply.ts, text: 'new reply' });
  const thread = await client.conversations.replies({ channel, ts: root.ts });
  assert.deepEqual(thread.messages.map((m) => m.text), ['hi', 'new reply']);
  assert.equal(thread.messages[0].blocks[0].text.text, '*hi*');
  await client.chat.delete({ channel, ts: reply.ts });
  assert.equal((await client.conversations.replies({ channel, ts: root.ts })).messages.length, 1);
});

test('streams with its own streamer', async () => {
  const root = await client.chat.postMessage({ channel, text: 'root' });
  const ts = await streamInto(client, playground, channel, root.ts);
  const thread = await client.conversations.replies({ channel, ts: root.ts });
  assert.equal(thread.messages.at(-1).ts, ts);
  assert.match(thread.messages.at(-1).text, /one.* two three four/);
});

test('reacts once', async () => {
  const { ts } = await client.chat.postMessage({ channel, text: 'vote' });
  const reaction = { channel, timestamp: ts, name: 'white_check_mark' };
  await client.reactions.add(reaction);
  const again = (error) => error.data.error === 'already_reacted';
  await assert.rejects(client.reactions.add(reaction), again);
  const seen = await client.reactions.get({ channel, timestamp: ts });
  assert.equal(seen.message.reactions[0].count, 1);
});

test('uploads by the two-step way', async () => {
  await client.filesUploadV2({
    channel_id: channel,
    filename: 'a.csv',
    file: Buffer.from('a,b\n1,2\n'),
    initial_comment: 'numbers',
  });
  const message = await until(async () => {
    const { messages } = await client.conversations.history({ channel, limit: 5 });
    return messages.find((m) => m.files?.length);
  });
  assert.equal(message.text, 'numbers');
  const file = await client.files.info({ file: message.files[0].id });
  assert.equal(file.file.size, 8);
  const bytes = await fetch(message.files[0].url_private, {
    headers: { Authorization: `Bearer ${playground.botToken}` },
  });
  assert.equal(await bytes.text(), 'a,b\n1,2\n');
});

test('publishes a Home', async () => {
  await client.views.publish({ user_id: playground.users.ben, view: HOME });
  const { homes } = await playground.state('ben');
  assert.equal(homes[0].view.blocks[0].text.text, '*Nothing waits for you*');
});

test('follows cursors', async () => {
  const names = [];
  for await (const page of client.paginate('users.list', { limit: 3 })) {
    names.push(...page.members.map((member) => member.name));
  }
  assert.ok(names.includes('ann') && names.includes('robo'));
  assert.equal(new Set(names).size, names.length);
});

test('is told where a block is wrong', async () => {
  const wrong = client.chat.postMessage({ channel, text: 'x', blocks: [{ type: 'header' }] });
  await assert.rejects(wrong, (error) => {
    assert.equal(error.data.error, 'invalid_blocks');
    assert.match(error.data.response_metadata.messages[0], /json-pointer:\/blocks\/0\/text/);
    return true;
  });
});

test('waits as long as Retry-After says', async () => {
  await playground.act('faults', { kind: 'rate_limited', target: 'team.info', seconds: 1 });
  const started = Date.now();
  assert.equal((await client.team.info()).team.domain, 'playground');
  assert.ok(Date.now() - started >= 1000);
});

test('redeems the code of a consent', async () => {
  const query = new URLSearchParams({
    client_id: playground.clientId,
    scope: 'chat:write,channels:read',
    redirect_uri: 'http://127.0.0.1:9/back',
  });
  const url = `${playground.pageUrl}oauth/v2/authorize?${query}`;
  const { redirect } = await playground.act('allow', { user: 'dora', url });
  const nobody = new WebClient(undefined, { slackApiUrl: playground.apiUrl });
  const answer = await nobody.oauth.v2.access({
    client_id: playground.clientId,
    client_secret: playground.clientSecret,
    code: new URL(redirect).searchParams.get('code'),
  });
  assert.equal(answer.team.name, 'Harbour');
  const there = new WebClient(answer.access_token, { slackApiUrl: playground.apiUrl });
  assert.equal((await there.auth.test()).user_id, answer.bot_user_id);
});
