// @slack/bolt: one app, run over Socket Mode and over HTTP, does the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import bolt from '@slack/bolt';
import { HOME, modal, startPlayground, streamInto, until } from './playground.js';

function build(playground, transport) {
  const app = new bolt.App({
    token: playground.botToken,
    clientOptions: { slackApiUrl: playground.apiUrl },
    logLevel: bolt.LogLevel.ERROR,
    ...(transport === 'socket'
      ? { socketMode: true, appToken: playground.appToken }
      : { signingSecret: playground.signingSecret }),
  });
  app.event('app_mention', async ({ event, say, client }) => {
    await client.reactions.add({ channel: event.channel, timestamp: event.ts, name: 'eyes' });
    await say({ text: 'here', thread_ts: event.ts, blocks: [button()] });
    await streamInto(client, playground, event.channel, event.ts);
    await client.filesUploadV2({
      channel_id: event.channel,
      thread_ts: event.ts,
      filename: 'a.txt',
      content: 'hello',
    });
  });
  app.event('app_home_opened', async ({ event, client }) => {
    await client.views.publish({ user_id: event.user, view: HOME });
  });
  app.event('message', async () => {});
  app.action('yes', async ({ ack, respond }) => {
    await ack();
    await respond({ text: 'chosen', replace_original: true });
  });
  app.command('/deskmate', async ({ ack, command }) => {
    await ack(`you said ${command.text}`);
  });
  app.shortcut('ask', async ({ ack, client, shortcut }) => {
    await ack();
    await client.views.open({ trigger_id: shortcut.trigger_id, view: modal() });
  });
  app.view('change', async ({ ack, view }) => {
    const said = view.state.values.why.text.value;
    if (said.length < 3) await ack({ response_action: 'errors', errors: { why: 'too short' } });
    else await ack();
  });
  return app;
}

function button() {
  const text = { type: 'plain_text', text: 'Yes' };
  return { type: 'actions', elements: [{ type: 'button', action_id: 'yes', text, value: '1' }] };
}

async function connect(app, playground, transport) {
  if (transport === 'socket') return app.start();
  const server = await app.start(0);
  const events = `http://127.0.0.1:${server.address().port}/slack/events`;
  return playground.act('use_http', { events });
}

for (const transport of ['socket', 'http']) {
  test(`a mention, a press, a command, a modal and Home over ${transport}`, async () => {
    const playground = await startPlayground();
    const app = build(playground, transport);
    await connect(app, playground, transport);
    try {
      await answersAMention(playground);
      await answersACommand(playground);
      await opensAModal(playground);
      await playground.act('open_home', { user: 'ben' });
      await until(async () => (await playground.state('ben')).homes[0].view);
    } finally {
      await app.stop();
      await playground.stop();
    }
  });
}

async function answersAMention(playground) {
  const asked = { user: 'ann', channel: '#api', text: '@Deskmate hello' };
  const { ts } = await playground.act('post', asked);
  const thread = async () =>
    (await playground.messages('ann', 'api')).filter((one) => one.thread_ts === ts);
  await until(async () => (await thread()).some((one) => one.files));
  const [root, said, streamed] = await thread();
  assert.equal(root.reactions[0].name, 'eyes');
  assert.equal(said.text, 'here');
  assert.match(streamed.text, /four/);
  await playground.act('click', { user: 'ben', channel: '#api', ts: said.ts, action_id: 'yes' });
  await until(async () => (await thread())[1].text === 'chosen');
}

async function answersACommand(playground) {
  await playground.act('command', { user: 'ann', channel: '#api', command: '/deskmate', text: 'hi' });
  await until(async () =>
    (await playground.messages('ann', 'api')).some((one) => one.text === 'you said hi'));
}

async function opensAModal(playground) {
  await playground.act('shortcut', { user: 'ann', callback_id: 'ask' });
  await until(async () => (await playground.state('ann')).modals.length === 1);
  await playground.act('submit', { user: 'ann', values: { why: { text: 'no' } } });
  await playground.act('submit', { user: 'ann', values: { why: { text: 'because' } } });
  await until(async () => (await playground.state('ann')).modals.length === 0);
}
