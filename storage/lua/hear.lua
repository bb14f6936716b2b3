-- Note until when a workspace was heard, and in which threads. Running it twice changes nothing.
--
-- KEYS  1 heard     STRING  seconds of Slack's clock; only ever grows
--       2 followed  ZSET    "CHANNEL:THREAD" -> when we last heard something in it
-- ARGV  1 heard until, or '' to leave it  2 ttl of both  3 most threads to keep
--       4.. THREAD, WHEN, THREAD, WHEN ..
-- Returns 1
local heard, followed = unpack(KEYS)
local until_, ttl, most = unpack(ARGV, 1, 3)

if until_ ~= '' and tonumber(until_) > tonumber(redis.call('GET', heard) or '0') then
  redis.call('SET', heard, until_, 'EX', ttl)
end
for i = 4, #ARGV, 2 do redis.call('ZADD', followed, 'GT', ARGV[i + 1], ARGV[i]) end
if #ARGV > 3 then
  redis.call('ZREMRANGEBYRANK', followed, 0, -tonumber(most) - 1)
  redis.call('EXPIRE', followed, ttl)
end
return 1
