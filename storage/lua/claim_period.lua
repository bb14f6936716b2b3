-- Claim the next period of a job that is due, unless somebody is at one.
--
-- KEYS  1 period HASH  done    the last period that was completed
--                      number  the one somebody is at, or was when they were lost
--                      cursor  how far they came; until: how long they are waited for, in ms
--                      fence   how often a period was claimed; a claim carries its value
--                      nonce   of the last claim, so that a claim sent again is known
--                      ended   the fence of the last claim that was completed
-- ARGV  1 the newest period that has begun  2 'each' or 'newest' of those nobody was at
--       3 lease in ms  4 nonce  5 ttl
-- Returns {number, fence, cursor}, or nil if there is nothing to do
local key = KEYS[1]
local newest, which, lease, nonce, ttl = unpack(ARGV)

redis.call('EXPIRE', key, ttl)
local now = redis.call('HMGET', key, 'done', 'number', 'until', 'cursor', 'fence', 'nonce')
local done, number, cursor = tonumber(now[1]), now[2], now[4] or ''
if not done then
  -- A new job begins with the next period: nothing of it can have been missed.
  redis.call('HSET', key, 'done', newest)
  redis.call('EXPIRE', key, ttl)
  return nil
end
if number then
  if now[6] == nonce then return {tonumber(number), tonumber(now[5]), cursor} end
  if now_ms() < tonumber(now[3]) then return nil end
else
  if tonumber(newest) <= done then return nil end
  number = which == 'each' and string.format('%d', done + 1) or newest
  redis.call('HDEL', key, 'cursor')
end
local fence = redis.call('HINCRBY', key, 'fence', 1)
redis.call('HSET', key, 'number', number, 'until', now_ms() + lease, 'nonce', nonce)
return {tonumber(number), fence, cursor}
