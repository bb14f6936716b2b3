/** What conversations are called and how they are sorted; pure functions over the store. */
import { personName } from "./names.js";

/** Say whether a conversation is direct: with one person or a few, not a channel. */
export function isDirect(channel) {
  return channel?.kind === "im" || channel?.kind === "mpim";
}

/** Return the others of a direct conversation, as user ids. */
export function others(channel, store) {
  const rest = channel.members.filter((id) => id !== store.me);
  return rest.length ? rest : channel.members;
}

/** Return the one other person of a direct message, or undefined. */
export function otherPerson(channel, store) {
  return channel?.kind === "im" ? store.users.get(others(channel, store)[0]) : undefined;
}

/** Return how people call a conversation: `#api`, a name, or several names. */
export function channelTitle(channel, store) {
  if (!isDirect(channel)) return `#${channel.name}`;
  return others(channel, store).map(personName).join(", ");
}

/** Split the conversations into those of the sidebar: channels by name, and direct ones. */
export function shelvesOf(store) {
  const all = [...store.channels.values()].filter((channel) => !channel.is_archived);
  const byTitle = (a, b) => channelTitle(a, store).localeCompare(channelTitle(b, store));
  return {
    channels: all.filter((channel) => !isDirect(channel)).sort(byTitle),
    direct: all
      .filter((channel) => isDirect(channel) && !otherPerson(channel, store)?.is_bot)
      .sort(byTitle),
    apps: all.filter((channel) => otherPerson(channel, store)?.is_bot).sort(byTitle),
  };
}

/** Return the channel to begin with: the first that an app is in, else the first. */
export function firstChannel(store) {
  const { channels } = shelvesOf(store);
  const apps = new Set(store.apps().map((app) => app.id));
  return (
    (channels.find((channel) => channel.members.some((id) => apps.has(id))) ?? channels[0])?.id ??
    ""
  );
}
