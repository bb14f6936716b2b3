-- Complete a period. The hash: claim_period.lua.
--
-- KEYS  1 period HASH
-- ARGV  1 fence
-- Returns 1, or 0 if the claim is lost; a second time 1 again
local key = KEYS[1]
local fence = ARGV[1]

local now = redis.call('HMGET', key, 'fence', 'number', 'ended')
if now[3] == fence then return 1 end
if now[1] ~= fence or not now[2] then return 0 end
redis.call('HSET', key, 'done', now[2], 'ended', fence)
redis.call('HDEL', key, 'number', 'cursor', 'until', 'nonce')
return 1
