-- 1.2.0 noted no use of a key: its last token stands for it, so that keys in use do not look unused.
UPDATE account_keys SET last_used_at = last.created_at
FROM (
  SELECT account_id, key_name, max(created_at) AS created_at FROM token_records WHERE key_name IS NOT NULL GROUP BY account_id, key_name
) AS last
WHERE last_used_at IS NULL AND last.account_id = account_keys.account_id AND key_name = name
  -- An earlier key may have had the same name.
  AND last.created_at >= account_keys.created_at;
