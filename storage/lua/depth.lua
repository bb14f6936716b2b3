-- Look at the queue of a lane. States: session.lua.
--
-- KEYS  1 ready  2 due
-- ARGV  1 group
-- Returns {sessions ready but not taken, held by workers, delayed, ms the oldest ready one waits}
local ready, due = unpack(KEYS)

local delayed = redis.call('ZCARD', due)
local tokens = redis.call('XLEN', ready)
if tokens == 0 then return {0, 0, delayed, 0} end
local held, after = 0, '-'
local groups = redis.call('XINFO', 'GROUPS', ready)
if groups[1] then
  for i = 1, #groups[1], 2 do
    if groups[1][i] == 'pending' then held = groups[1][i + 1] end
    if groups[1][i] == 'last-delivered-id' then after = '(' .. groups[1][i + 1] end
  end
end
local oldest = redis.call('XRANGE', ready, after, '+', 'COUNT', 1)[1]
if not oldest then return {0, held, delayed, 0} end
local waits = now_ms() - tonumber(string.match(oldest[1], '^%d+'))
return {tokens - held, held, delayed, math.max(waits, 0)}
