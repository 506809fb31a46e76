#!/bin/sh
# As the entrypoint of the image nginx: replaces variables in templates, those of the environment alone.
set -e
if [ "$1" = nginx ]; then
  names=$(env | sed 's/=.*//; s/.*/${&}/' | tr '\n' ' ')
  for template in /etc/nginx/templates/*.template; do
    envsubst "$names" < "$template" > "/etc/nginx/conf.d/$(basename "$template" .template)"
  done
fi
exec "$@"
