import type { IncomingHttpHeaders } from 'node:http';

/** By which browsers say that they open an address before anybody asked for it. `Sec-Purpose` is of the Fetch standard. */
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];
const AHEAD = /\b(?:prefetch|prerender|preview)\b/i;

/** The programs by which chats preview a link: WhatsApp and Signal, Telegram, Slack, Teams, Messenger and iMessage, Discord. */
const LINK_PREVIEWS = /^WhatsApp\/|TelegramBot|Slackbot|SkypeUriPreview|facebookexternalhit|Discordbot/i;

/** Whether a request declares that nobody listens: a browser's prefetch, or a chat that previews a link. */
export function asksAhead(headers: IncomingHttpHeaders): boolean {
  return (
    PURPOSE_HEADERS.some((name) => AHEAD.test(String(headers[name] ?? ''))) ||
    LINK_PREVIEWS.test(headers['user-agent'] ?? '')
  );
}
