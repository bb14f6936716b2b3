-- Keep what was said in a known session but not to us, at most so many.
--
-- KEYS  1 state  2 asides LIST of JSON, oldest first  3 event  4 seen (see push.lua)
-- ARGV  1 aside as JSON  2 bound  3 ttl of asides  4 ttl of the event
-- Returns 1, or 0 if the session is unknown, or began only later
local state, asides, event, seen = unpack(KEYS)
local aside, bound, ttl, event_ttl = unpack(ARGV)

if not follows(state, cjson.decode(aside).ts) then return 0 end
if redis.call('EXISTS', event) == 1 then return 1 end
redis.call('SET', event, 'overheard', 'EX', event_ttl)
if redis.call('EXISTS', seen) == 1 then return 1 end
local length = redis.call('RPUSH', asides, aside)
if length > tonumber(bound) then
  redis.call('LPOP', asides)
  redis.call('HINCRBY', state, 'cut', 1)
end
redis.call('EXPIRE', asides, ttl)
return 1
