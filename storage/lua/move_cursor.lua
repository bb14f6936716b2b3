-- Note how far a period has come, and keep it for another lease. The hash: claim_period.lua.
--
-- KEYS  1 period HASH
-- ARGV  1 fence  2 cursor  3 lease in ms
-- Returns 1, or 0 if the claim is lost
local key = KEYS[1]
local fence, cursor, lease = unpack(ARGV)

local now = redis.call('HMGET', key, 'fence', 'number')
if now[1] ~= fence or not now[2] then return 0 end
redis.call('HSET', key, 'cursor', cursor, 'until', now_ms() + lease)
return 1
