// @slack/socket-mode: tickets, envelopes, acknowledgements with an answer.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SocketModeClient } from '@slack/socket-mode';
import { WebClient } from '@slack/web-api';
import { HOME, modal, startPlayground, streamInto, until } from './playground.js';

let playground;
let client;
let socket;
const heard = [];

before(async () => {
  playground = await startPlayground();
  const clientOptions = { slackApiUrl: playground.apiUrl };
  client = new WebClient(playground.botToken, clientOptions);
  // It waits as long as this before it dials again.
  const clientPingTimeout = 500;
  socket = new SocketModeClient({ appToken: playground.appToken, clientOptions, clientPingTimeout });
  socket.on('slack_event', async (envelope) => {
    heard.push(envelope);
    await answer(envelope);
  });
  await socket.start();
});
after(async () => {
  await socket.disconnect();
  await playground.stop();
});

async function answer({ ack, type, body }) {
  if (type === 'slash_commands') return ack({ text: `you said ${body.text}` });
  if (body.type === 'view_submission') {
    const said = body.view.state.values.why.text.value;
    if (said.length < 3) return ack({ response_action: 'errors', errors: { why: 'too short' } });
    return ack({ response_action: 'update', view: modal('Again') });
  }
  await ack();
  if (body.type === 'shortcut') {
    await client.views.open({ trigger_id: body.trigger_id, view: modal() });
  }
  if (body.event?.type === 'app_home_opened' && body.event.tab === 'home') {
    await client.views.publish({ user_id: body.event.user, view: HOME });
  }
}

function event(type) {
  return until(() => heard.find((one) => one.body.event?.type === type)?.body.event, type);
}

test('hears a mention and its twin, and answers in the thread by streaming', async () => {
  const { ts } = await playground.act('post', {
    user: 'ann',
    channel: '#api',
    text: '@Deskmate hello',
  });
  const mention = await event('app_mention');
  const message = await event('message');
  assert.equal(mention.ts, ts);
  assert.equal(message.ts, ts);
  const streamed = await streamInto(client, playground, mention.channel, ts);
  const shown = await playground.messages('ann', 'api');
  assert.equal(shown.find((one) => one.ts === streamed).thread_ts, ts);
});

test('hears a reaction, and an upload', async () => {
  const { ts } = await playground.act('post', { user: 'ann', channel: '#web', text: 'look' });
  await playground.act('react', { user: 'ben', channel: '#web', ts, name: '+1::skin-tone-3' });
  assert.equal((await event('reaction_added')).reaction, '+1::skin-tone-3');
  await client.filesUploadV2({
    channel_id: playground.channels.web,
    filename: 'a.txt',
    content: 'hello',
  });
  assert.ok((await event('file_shared')).file_id);
});

test('answers a slash command in the acknowledgement', async () => {
  await playground.act('command', { user: 'ann', channel: '#web', command: '/deskmate', text: 'hi' });
  const said = await until(async () =>
    (await playground.messages('ann', 'web')).find((one) => one.ephemeral));
  assert.equal(said.text, 'you said hi');
});

test('opens a modal, complains, and changes it', async () => {
  await playground.act('shortcut', { user: 'ann', callback_id: 'ask' });
  await until(async () => (await playground.state('ann')).modals.length === 1);
  await playground.act('submit', { user: 'ann', values: { why: { text: 'no' } } });
  await playground.act('submit', { user: 'ann', values: { why: { text: 'because' } } });
  const title = async () => (await playground.state('ann')).modals[0].title.text;
  await until(async () => (await title()) === 'Again');
});

test('publishes Home when it is opened', async () => {
  await playground.act('open_home', { user: 'ben' });
  await until(async () => (await playground.state('ben')).homes[0].view);
});

test('comes back when Slack refreshes the connection', async () => {
  await playground.act('sockets', { end: 'refresh_requested' });
  await until(async () => (await playground.act('sockets')).sockets.length === 1);
  await playground.act('post', { user: 'ben', channel: '#general', text: 'still there?' });
  await until(() => heard.find((one) => one.body.event?.text === 'still there?'));
});
