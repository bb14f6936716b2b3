// A playground in a process of its own, and the hands of its people.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PYTHON = process.env.PYTHON ?? `${ROOT}.venv/bin/python`;

/** Start a playground; `stop()` ends it. */
export async function startPlayground() {
  const child = spawn(PYTHON, ['-P', '-m', 'tests.node.launch'], {
    cwd: ROOT,
    env: { ...process.env, PYTHONPATH: ROOT },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const known = JSON.parse(line);
  const headers = { Authorization: `Bearer ${known.controlToken}` };

  /** Act as a person, or turn a knob; a refusal is thrown as Slack's error. */
  async function act(action, fields = {}) {
    const response = await fetch(`${known.pageUrl}_playground/${action}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    });
    const answer = await response.json();
    if (!answer.ok) throw new Error(answer.error);
    return answer;
  }

  /** Read what a person's page shows. */
  async function state(user) {
    const response = await fetch(`${known.pageUrl}_playground/state?as=${user}`, { headers });
    return response.json();
  }

  /** Give the messages of a channel as a person sees them. */
  async function messages(user, channel) {
    return (await state(user)).messages[known.channels[channel]];
  }

  async function stop() {
    child.stdin.end();
    await once(child, 'exit');
  }

  return { ...known, act, state, messages, stop };
}

/** Wait until `look` gives something, and give it; fail after five seconds. */
export async function until(look, what = look.toString()) {
  const deadline = Date.now() + 5000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`not within 5 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Build a modal with one input. */
export function modal(title = 'Change') {
  return {
    type: 'modal',
    callback_id: 'change',
    title: { type: 'plain_text', text: title },
    submit: { type: 'plain_text', text: 'Send' },
    blocks: [
      {
        type: 'input',
        block_id: 'why',
        label: { type: 'plain_text', text: 'Why?' },
        element: { type: 'plain_text_input', action_id: 'text' },
      },
    ],
  };
}

export const HOME = {
  type: 'home',
  blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*Nothing waits for you*' } }],
};

/** Stream a text into a thread with Slack's own streamer; gives the ts. */
export async function streamInto(client, playground, channel, threadTs) {
  const streamer = client.chatStream({
    channel,
    thread_ts: threadTs,
    recipient_user_id: playground.users.ann,
    recipient_team_id: playground.team,
    buffer_size: 8,
  });
  await streamer.append({ markdown_text: '**one** two three ' });
  await streamer.append({ markdown_text: 'four' });
  const stopped = await streamer.stop();
  return stopped.ts;
}
