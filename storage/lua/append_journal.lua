-- Write one step of a running turn into its journal, once.
--
-- KEYS  1 state  2 journal LIST of JSON
-- ARGV  1 fence  2 index that the entry will have  3 entry as JSON  4 ttl
-- Returns 1 | 0 the lease is lost | -1 another entry stands at that index
local state, journal = unpack(KEYS)
local fence, index, entry, ttl = unpack(ARGV)

if not owns(state, fence) then return 0 end
local length = redis.call('LLEN', journal)
if length == tonumber(index) then
  redis.call('RPUSH', journal, entry)
  redis.call('EXPIRE', journal, ttl)
  return 1
end
return redis.call('LINDEX', journal, index) == entry and 1 or -1
