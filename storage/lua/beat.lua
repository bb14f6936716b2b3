-- Renew a lease. States: session.lua.
--
-- KEYS  1 ready  2 state
-- ARGV  1 group  2 worker  3 fence
-- Returns {1, who asked to stop, or ''}, or {0, ''} if the lease is lost
local ready, state = unpack(KEYS)
local group, worker, fence = unpack(ARGV)

if not owns(state, fence) then return {0, ''} end
local now = redis.call('HMGET', state, 'entry', 'head', 'stop', 'stop_by')
redis.call('XCLAIM', ready, group, worker, 0, now[1], 'JUSTID')
return {1, now[3] == now[2] and now[4] or ''}
