import type { IncomingHttpHeaders } from 'node:http';

/** Headers by which browsers declare that they load an address in advance; `Sec-Purpose` is the Fetch standard's. */
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];
const PREFETCH = /\b(?:prefetch|prerender|preview)\b/i;

/** User agents of chats that preview a link: WhatsApp and Signal, Telegram, Slack, Teams, Messenger and iMessage, Discord. */
const LINK_PREVIEWS = /^WhatsApp\/|TelegramBot|Slackbot|SkypeUriPreview|facebookexternalhit|Discordbot/i;

export function isPreview(headers: IncomingHttpHeaders): boolean {
  return (
    PURPOSE_HEADERS.some((name) => PREFETCH.test(String(headers[name] ?? ''))) ||
    LINK_PREVIEWS.test(headers['user-agent'] ?? '')
  );
}
