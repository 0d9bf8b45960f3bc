// Boost.JSON, compiled here once for the whole tree: Debian's package has no need to be linked.
#include <boost/json/src.hpp>
