CREATE TYPE public.key_kind AS ENUM (
    'TOOL',
    'PLAYER'
);
CREATE TYPE public.token_client AS ENUM (
    'BROWSER',
    'TOOL'
);
CREATE TYPE public.token_outcome AS ENUM (
    'ISSUED',
    'PROVIDER_UNAVAILABLE',
    'PROVIDER_BAD_ANSWER'
);
CREATE TABLE public._prisma_migrations (
    id character varying(36) NOT NULL,
    checksum character varying(64) NOT NULL,
    finished_at timestamp with time zone,
    migration_name character varying(255) NOT NULL,
    logs text,
    rolled_back_at timestamp with time zone,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    applied_steps_count integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.account_keys (
    id uuid NOT NULL,
    account_id text NOT NULL,
    name text NOT NULL,
    kind public.key_kind NOT NULL,
    key_hash bytea NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    networks text[] DEFAULT ARRAY[]::text[],
    last_used_at timestamp(3) with time zone
);
CREATE TABLE public.accounts (
    id text NOT NULL,
    username text NOT NULL,
    password_hash text NOT NULL,
    company text NOT NULL,
    disabled boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    credentials_version integer DEFAULT 0 NOT NULL,
    attempts_version integer DEFAULT 0 NOT NULL,
    valid_until timestamp(3) with time zone,
    last_sign_in_at timestamp(3) with time zone
);
CREATE TABLE public.attempts (
    key text NOT NULL,
    points integer NOT NULL,
    expires_at timestamp(3) with time zone,
    under_way timestamp(6) with time zone[] DEFAULT (ARRAY[]::timestamp with time zone[])::timestamp(6) with time zone[]
);
CREATE TABLE public.audit_lines (
    id uuid NOT NULL,
    at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    operator text NOT NULL,
    command text NOT NULL,
    account_id text,
    username text,
    details text
);
CREATE TABLE public.deleted_accounts (
    id text NOT NULL,
    username text NOT NULL,
    company text NOT NULL,
    deleted_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE TABLE public.notices (
    id integer DEFAULT 1 NOT NULL,
    text text NOT NULL,
    since timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    until timestamp(3) with time zone
);
CREATE TABLE public.pruning_limits (
    id integer DEFAULT 1 NOT NULL,
    expired_before timestamp(3) with time zone NOT NULL,
    recorded_before timestamp(3) with time zone NOT NULL
);
CREATE TABLE public.sessions (
    id uuid NOT NULL,
    account_id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    credentials_version integer,
    last_used_at timestamp(3) with time zone,
    sign_in_id uuid
);
CREATE TABLE public.token_records (
    id uuid NOT NULL,
    account_id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    expires_at timestamp(3) with time zone,
    token_hash bytea,
    outcome public.token_outcome NOT NULL,
    address text,
    client public.token_client NOT NULL,
    key_name text,
    player boolean DEFAULT false NOT NULL
);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('f117b5ab-4a5f-4bf9-8d26-288288baec4f', '4f6e4d0c44ca05ac18b08a5f192715dfc763e7042afdcfbd8db7c8087287fbea', '2026-11-25 10:05:26.913801+00', '20261120000000_accounts_and_sessions', NULL, NULL, '2026-11-25 10:05:26.905574+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('fbc5986b-2fba-4bf2-bf34-8193a82eabc7', 'c04e27009e4056d988a237cd6737eeb570000a4b41a895d74f5000c41cee3bea', '2026-11-25 10:05:26.918393+00', '20261120190000_sign_in_counts', NULL, NULL, '2026-11-25 10:05:26.914862+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('6565f24a-3f71-444a-b7a4-a21350d71ca8', '13b86ff92f994ee3a54943d22d5d448007067d0309d447cbf2da31d3a405031e', '2026-11-25 10:05:26.922478+00', '20261121000000_token_records', NULL, NULL, '2026-11-25 10:05:26.91904+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('15827bde-2367-488c-8990-a36a85306c6a', 'cb28108cabd2b9c946fe97d878d9dc4a4fc44e8148e2356e0766611a8e7e4e86', '2026-11-25 10:05:26.923803+00', '20261121210000_credentials_version', NULL, NULL, '2026-11-25 10:05:26.923069+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('810d2e52-8c1a-4f08-b36c-a9d12fc8d118', '558d7132f1f6b8b5b3333e9c241ab56d1f31b68dc702f2398d4d1ce5528f6098', '2026-11-25 10:05:26.927442+00', '20261121220000_attempts', NULL, NULL, '2026-11-25 10:05:26.924325+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('1f27a004-c494-40bd-9dfe-70fa7c2cf5b2', '2fa8dca66bf7220d699efe1baf6692440b73bbc149599454b86a9ddbdc8b53b4', '2026-11-25 10:05:26.92862+00', '20261122001500_attempts_version', NULL, NULL, '2026-11-25 10:05:26.928039+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('a2abdd3e-3491-4110-837e-abceb0531ef1', '2391aafe47a1c436e7d0ad9132202d3981dbac793441d97248f5d8766083051e', '2026-11-25 10:05:26.936505+00', '20261122012500_audit_lines', NULL, NULL, '2026-11-25 10:05:26.929179+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('246663aa-0696-4cae-bdd9-609fe4849483', 'ca003fc3bae4c5ea0b5a0536b030d68782605ae37ec04f2c65e5f3389d605238', '2026-11-25 10:05:26.941553+00', '20261122013000_keys', NULL, NULL, '2026-11-25 10:05:26.937233+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('c1139cf7-3db4-4070-9a32-e9580c86bb1a', 'bc75610da52372731c288a313d085c9c1aa25144dcd34257bfb5b95c19d971c0', '2026-11-25 10:05:26.942923+00', '20261122100000_key_networks', NULL, NULL, '2026-11-25 10:05:26.942172+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('bc357395-ddaa-482d-a895-313756ecb028', '5144ae4043140f50549a31df98bcb4a22547d41385b933319f46a5266f0883d7', '2026-11-25 10:05:26.944919+00', '20261122130000_drop_sign_in_counts', NULL, NULL, '2026-11-25 10:05:26.944044+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('013f6daf-3db9-4f21-adf3-3a6d51fafa4c', '1ffeb3f2cee354d86781205945853262f0526cc33b36de18ca9a0ccd7f19e0ee', '2026-11-25 10:05:26.947073+00', '20261122220000_attempts_under_way', NULL, NULL, '2026-11-25 10:05:26.946433+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('5f1eb68a-b898-4cbf-8599-edc06bcfc37c', 'a76c82c11619bd6aa3d5c49b8607ecfa5b8deac2f8050445ec4e54501593ef8e', '2026-11-25 10:05:26.950047+00', '20261122220000_notices', NULL, NULL, '2026-11-25 10:05:26.947681+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('a689cae9-3a1c-4c10-8fb1-9df678082d3d', 'af48ac1725433a8883677a499de8961ef1347c932341d18cbb8920cecd62a122', '2026-11-25 10:05:26.951556+00', '20261122220000_token_search', NULL, NULL, '2026-11-25 10:05:26.950559+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('db96c383-c5d8-4255-8166-8ab62f6946ab', 'b07d7b673ee86e982e4110ed6837e370f8cad21c098ba7b5fd69a0649a492612', '2026-11-25 10:05:26.953343+00', '20261122221000_token_records_player', NULL, NULL, '2026-11-25 10:05:26.952022+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('88b6b06e-8b5e-4516-b9e2-f65086e82b4a', 'cfa3fb1c2bec6efe0dbc01cde8cecc33107a672c1cfb1aa123a4688234b6689b', '2026-11-25 10:05:26.954121+00', '20261122224500_sessions_last_used', NULL, NULL, '2026-11-25 10:05:26.953771+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('2783606b-bc37-4f3c-bb6b-f489c765a1fb', '4bb7df0610e683e40af91aa5290ae3c827626a761aecdb2367d11fe94df71169', '2026-11-25 10:05:26.954884+00', '20261122230000_account_validity', NULL, NULL, '2026-11-25 10:05:26.954499+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('9121d24f-09ed-42b2-ae8d-0308ddd9bda1', 'b689493dd15c9c4ee233c0707f20f937394ca07427242cbfe896ab41212bbbb4', '2026-11-25 10:05:26.955592+00', '20261122231000_keys_last_used', NULL, NULL, '2026-11-25 10:05:26.955254+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('643440cf-5145-4ddc-a111-65e2ad6e59c3', '191be9b99c159c514b9a4f15caf34a3a2dbd668f479c7f4d47f71bc2c5f857d3', '2026-11-25 10:05:26.956974+00', '20261123013000_keys_last_token', NULL, NULL, '2026-11-25 10:05:26.955963+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('8c118634-5d30-4cc3-8481-8c66f33d398b', '766a720d24b4dea3e0137197a773a0514af1c393f81f1ed8bdd8fbb0c31f77c1', '2026-11-25 10:05:26.957857+00', '20261123190000_sessions_sign_in', NULL, NULL, '2026-11-25 10:05:26.957502+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('bc8a07d5-0986-4d03-bfd9-01568bf3e678', '5af6ff0a6acab4f0758be2fdf1f624c0405100572f1442eedded9b4e8ed6fb7f', '2026-11-25 10:05:26.959452+00', '20261123200000_pruning_limits', NULL, NULL, '2026-11-25 10:05:26.958193+00', 1);
INSERT INTO public._prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count) VALUES ('e2b40d68-373f-44f8-86ee-35fa7b5f3644', '7118ae0a24d544a1d8458467b6114f6b73205b933ef95e9358bf2f15035b555d', '2026-11-25 10:05:26.960226+00', '20261123230000_notices_until', NULL, NULL, '2026-11-25 10:05:26.959887+00', 1);
INSERT INTO public.account_keys (id, account_id, name, kind, key_hash, created_at, expires_at, networks, last_used_at) VALUES ('01a2122b-4043-761c-b383-36f276ae8b55', '01a2122b-3709-77fa-af9f-51164b3920eb', 'monitor', 'TOOL', '\xc3a4cb895b9d49ff67b7bcaf0718feac08109f2da2d358b2776b636a8890b9ed', '2026-11-25 10:05:54.116+00', '2026-12-05 10:05:54.107+00', '{}', NULL);
INSERT INTO public.account_keys (id, account_id, name, kind, key_hash, created_at, expires_at, networks, last_used_at) VALUES ('01a2122b-3da1-72ea-939f-e663fc448172', '01a2122b-354d-73bb-b4ce-7db175f020ac', 'grabadora', 'TOOL', '\x93091a6649d1726027ed333229d8e444b381f65fdc99dafc646d83c954901541', '2026-11-25 10:05:53.441+00', '2036-11-22 10:05:53.426+00', '{127.0.0.0/8}', '2026-11-25 10:05:54.608+00');
INSERT INTO public.account_keys (id, account_id, name, kind, key_hash, created_at, expires_at, networks, last_used_at) VALUES ('01a2122b-3f0e-778a-86b3-e0ccd94d9244', '01a2122b-354d-73bb-b4ce-7db175f020ac', 'codec', 'PLAYER', '\xc1bfc2bd46f3e963664329b78e6a9c43247db42f012d668cdd1ac26c6ebb0899', '2026-11-25 10:05:53.807+00', '2036-11-22 10:05:53.797+00', '{}', '2026-11-25 10:05:54.624+00');
INSERT INTO public.accounts (id, username, password_hash, company, disabled, created_at, updated_at, credentials_version, attempts_version, valid_until, last_sign_in_at) VALUES ('01a2122b-3887-72c9-81f2-f6272d0e39b8', 'radio@tres.example', '$argon2id$v=19$m=19456,t=2,p=1$11hL8XOJUDXXg64F1AmmSw$VlNgFOPHiKEPh8TgeL4YrHE6dx0/DLepVvsC7kwVVwY', 'Radio Tres, S.A.', true, '2026-11-25 10:05:52.135+00', '2026-11-25 10:05:53.037+00', 1, 0, NULL, NULL);
INSERT INTO public.accounts (id, username, password_hash, company, disabled, created_at, updated_at, credentials_version, attempts_version, valid_until, last_sign_in_at) VALUES ('01a2122b-354d-73bb-b4ce-7db175f020ac', 'radio@uno.example', '$argon2id$v=19$m=19456,t=2,p=1$JVqPcnac2HlIUW6UJ5DPaA$0dwzkeF7WzAc3jZTdChBILSIWUM7r8RVGnkeev+SW+U', 'Radio Uno', false, '2026-11-25 10:05:51.31+00', '2026-11-25 10:06:01.442+00', 0, 1, NULL, '2026-11-25 10:05:54+00');
INSERT INTO public.accounts (id, username, password_hash, company, disabled, created_at, updated_at, credentials_version, attempts_version, valid_until, last_sign_in_at) VALUES ('01a2122b-3709-77fa-af9f-51164b3920eb', 'radio@segunda.example', '$argon2id$v=19$m=19456,t=2,p=1$Ae9ObYv3+iT6lLfx35QYNw$Y0MyQWZVSeLuJZiOsoS3B2eownzD1PjAQMHk1ROS8Mk', 'Radio Dos', false, '2026-11-25 10:05:51.753+00', '2026-11-25 10:06:01.754+00', 0, 1, '2030-07-01 00:00:00+00', '2026-11-25 10:05:54+00');
INSERT INTO public.attempts (key, points, expires_at, under_way) VALUES ('9fe2741cea448f635c58ce5ad73b3526eb7f24da982a631644f7c264a7a07326', 0, '2026-11-25 10:20:54.479+00', '{}');
INSERT INTO public.attempts (key, points, expires_at, under_way) VALUES ('8cb8f023c586cca813f5a30d0ca6e36aa5841756c2be5e1d30d24bb631a3ee4d', 3, '2026-11-25 10:20:54.673+00', '{}');
INSERT INTO public.attempts (key, points, expires_at, under_way) VALUES ('a2ce92085664836998fdd4cff930610ecf6687dceb7b59279ad33a8e3ef2b404', 3, '2026-11-25 10:20:54.673+00', '{}');
INSERT INTO public.attempts (key, points, expires_at, under_way) VALUES ('d810e5f81f7a843fcb83d7cb58ea1a77e5c4252beec9ff532509b25822e3fac8', 0, '2026-11-25 10:20:54.753+00', '{}');
INSERT INTO public.audit_lines (id, at, operator, command, account_id, username, details) VALUES ('01a2122b-3556-71e2-9c30-110d98fd9e04', '2026-11-25 10:05:51.304+00', 'operadora', 'add', '01a2122b-354d-73bb-b4ce-7db175f020ac', 'radio@uno.example', 'Radio Uno');
INSERT INTO public.audit_lines (id, at, operator, command, account_id, username, details) VALUES ('01a2122b-370e-76c9-820e-ecafa48764c7', '2026-11-25 10:05:51.746+00', 'operadora', 'add', '01a2122b-3709-77fa-af9f-51164b3920eb', 'radio@dos.example', 'Radio Dos, until 2030-06-30');
INSERT INTO public.audit_lines (id, at, operator, command, account_id, username, details) VALUES ('01a2122b-388e-7792-846e-4910da5af6b7', '2026-11-25 10:05:52.126+00', 'operadora', 'add', '01a2122b-3887-72c9-81f2-f6272d0e39b8', 'radio@tres.example', 'Radio Tres, S.A.');
INSERT INTO public.audit_lines (id, at, operator, command, account_id, username, details) VALUES ('01a2122b-3a8f-71ae-8f22-4296f5d58fd6', '2026-11-25 10:05:52.641+00', 'operadora', 'add', '01a2122b-3a87-732e-b8a1-a43b9acdd30a', 'radio@cuatro.example', 'Radio Cuatro');
INSERT INTO public.audit_lines (id, at, operator, command, account_id, username, details) VALUES ('01a2122b-3c19-763e-87c4-4702eef3efc4', '2026-11-25 10:05:53.033+00', 'operadora', 'disable', '01a2122b-3887-72c9-81f2-f6272d0e39b8', 'radio@tres.example', NULL);
INSERT INTO public.audit_lines (id, at, operator, command, account_id, username, details) VALUES ('01a2122b-3da5-7100-bc2f-90dc13a34c23', '2026-11-25 10:05:53.428+00', 'operadora', 'add-key', '01a2122b-354d-73bb-b4ce-7db175f020ac', 'radio@uno.example', 'grabadora, tool, until 2036-11-22T10:05:53.426Z, from 127.0.0.0/8');
INSERT INTO public.audit_lines (id, at, operator, command, account_id, username, details) VALUES ('01a2122b-3f12-763a-9327-22b3eb5f0a83', '2026-11-25 10:05:53.799+00', 'operadora', 'add-key', '01a2122b-354d-73bb-b4ce-7db175f020ac', 'radio@uno.example', 'codec, player, until 2036-11-22T10:05:53.797Z');
INSERT INTO public.audit_lines (id, at, operator, command, account_id, username, details) VALUES ('01a2122b-4047-758e-a0d8-43de9d74f0c7', '2026-11-25 10:05:54.109+00', 'operadora', 'add-key', '01a2122b-3709-77fa-af9f-51164b3920eb', 'radio@dos.example', 'monitor, tool, until 2026-12-05T10:05:54.107Z');
INSERT INTO public.audit_lines (id, at, operator, command, account_id, username, details) VALUES ('01a2122b-416b-732f-a6f9-1e5d5303a6a1', '2026-11-25 10:05:54.408+00', 'operadora', 'notice set', NULL, NULL, 'El partido empieza a las 21:30 (until the end of 2030-01-01 UTC)');
INSERT INTO public.audit_lines (id, at, operator, command, account_id, username, details) VALUES ('01a2122b-5ba6-704e-9a49-9581781c7884', '2026-11-25 10:06:01.116+00', 'operadora', 'delete', '01a2122b-3a87-732e-b8a1-a43b9acdd30a', 'radio@cuatro.example', 'Radio Cuatro');
INSERT INTO public.audit_lines (id, at, operator, command, account_id, username, details) VALUES ('01a2122b-5ce6-7355-9a5f-06c89a3d0dcc', '2026-11-25 10:06:01.439+00', 'operadora', 'unlock', '01a2122b-354d-73bb-b4ce-7db175f020ac', 'radio@uno.example', NULL);
INSERT INTO public.audit_lines (id, at, operator, command, account_id, username, details) VALUES ('01a2122b-5e1e-71ad-b1c0-49a11ede14a1', '2026-11-25 10:06:01.75+00', 'operadora', 'rename', '01a2122b-3709-77fa-af9f-51164b3920eb', 'radio@dos.example', 'to radio@segunda.example');
INSERT INTO public.deleted_accounts (id, username, company, deleted_at) VALUES ('01a2122b-3a87-732e-b8a1-a43b9acdd30a', 'radio@cuatro.example', 'Radio Cuatro', '2026-11-25 10:06:01.116+00');
INSERT INTO public.notices (id, text, since, until) VALUES (1, 'El partido empieza a las 21:30', '2026-11-25 10:05:54.41+00', '2030-01-02 00:00:00+00');
INSERT INTO public.pruning_limits (id, expired_before, recorded_before) VALUES (1, '2026-11-25 10:05:56.229+00', '2025-10-21 10:05:56.229+00');
INSERT INTO public.sessions (id, account_id, created_at, expires_at, credentials_version, last_used_at, sign_in_id) VALUES ('a92d2549-88f3-4f03-8dd6-c61fcd3b5d58', '01a2122b-354d-73bb-b4ce-7db175f020ac', '2026-11-25 10:05:54+00', '2026-11-25 22:05:54+00', 0, NULL, '01a2122b-41dc-7b3f-a7e2-498056154fef');
INSERT INTO public.sessions (id, account_id, created_at, expires_at, credentials_version, last_used_at, sign_in_id) VALUES ('e626bd8d-3e00-40a7-84d9-8c4a71c41eaa', '01a2122b-354d-73bb-b4ce-7db175f020ac', '2026-11-25 10:05:54+00', '2026-12-25 10:05:54+00', 0, '2026-11-25 10:05:54.552+00', '01a2122b-41dc-7b3f-a7e2-498056154fef');
INSERT INTO public.sessions (id, account_id, created_at, expires_at, credentials_version, last_used_at, sign_in_id) VALUES ('7e59ee6f-32f9-4e14-99c5-013d9f648118', '01a2122b-3709-77fa-af9f-51164b3920eb', '2026-11-25 10:05:54+00', '2026-11-25 22:05:54+00', 0, NULL, '01a2122b-425d-7f44-8eb0-014eb875d62f');
INSERT INTO public.sessions (id, account_id, created_at, expires_at, credentials_version, last_used_at, sign_in_id) VALUES ('137fb068-c9ac-4d59-80df-6e458f4ac8f1', '01a2122b-3709-77fa-af9f-51164b3920eb', '2026-11-25 10:05:54+00', '2026-12-25 10:05:54+00', 0, '2026-11-25 10:05:54+00', '01a2122b-425d-7f44-8eb0-014eb875d62f');
INSERT INTO public.token_records (id, account_id, created_at, expires_at, token_hash, outcome, address, client, key_name, player) VALUES ('01a2122b-4213-78da-8aa7-4401070ad9e4', '01a2122b-354d-73bb-b4ce-7db175f020ac', '2026-11-25 10:05:54.579+00', '2026-11-25 10:25:54.579+00', '\x09f3bc9b2c92182ff656bffbecaf7580d3f98c6a02781cb2d22cf9c816a0ba32', 'ISSUED', '127.0.0.1', 'BROWSER', NULL, false);
INSERT INTO public.token_records (id, account_id, created_at, expires_at, token_hash, outcome, address, client, key_name, player) VALUES ('01a2122b-4223-7652-94d6-879945808a04', '01a2122b-354d-73bb-b4ce-7db175f020ac', '2026-11-25 10:05:54.595+00', '2026-11-25 10:25:54.595+00', '\x4f7837526362d5e1d4d7825aa2a684e3e9348793670725c3c7537a977fd42820', 'ISSUED', '127.0.0.1', 'TOOL', NULL, false);
INSERT INTO public.token_records (id, account_id, created_at, expires_at, token_hash, outcome, address, client, key_name, player) VALUES ('01a2122b-4234-7405-b695-ada6066c93d2', '01a2122b-354d-73bb-b4ce-7db175f020ac', '2026-11-25 10:05:54.612+00', '2026-11-25 10:25:54.612+00', '\x6e001712df628f99e0959c34c160f7a7499aff20de846ba570e5d19ad5cb3a8c', 'ISSUED', '127.0.0.1', 'TOOL', 'grabadora', false);
INSERT INTO public.token_records (id, account_id, created_at, expires_at, token_hash, outcome, address, client, key_name, player) VALUES ('01a2122b-4243-70ce-8b9c-07c7f5f11dd1', '01a2122b-354d-73bb-b4ce-7db175f020ac', '2026-11-25 10:05:54.627+00', '2026-11-25 10:25:54.627+00', '\xd3d1c12599610e73524b4affd43bcf43821f5d5233f5bb801be743628b23bb76', 'ISSUED', '127.0.0.1', 'TOOL', 'codec', true);
INSERT INTO public.token_records (id, account_id, created_at, expires_at, token_hash, outcome, address, client, key_name, player) VALUES ('01a2122b-42e1-7af1-9ec6-5dc5d3b826b1', '01a2122b-3a87-732e-b8a1-a43b9acdd30a', '2026-11-25 10:05:54.785+00', '2026-11-25 10:25:54.785+00', '\x3c3d35c1d09e938ced1aebdd7e4980268808863ac7ba366c8f8c681e61a62262', 'ISSUED', '127.0.0.1', 'BROWSER', NULL, false);
INSERT INTO public.token_records (id, account_id, created_at, expires_at, token_hash, outcome, address, client, key_name, player) VALUES ('01a2122b-5a7a-7235-a3a6-282a10511f89', '01a2122b-354d-73bb-b4ce-7db175f020ac', '2026-11-25 10:06:00.826+00', NULL, NULL, 'PROVIDER_UNAVAILABLE', '127.0.0.1', 'BROWSER', NULL, false);
ALTER TABLE ONLY public._prisma_migrations
    ADD CONSTRAINT _prisma_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.account_keys
    ADD CONSTRAINT account_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.audit_lines
    ADD CONSTRAINT audit_lines_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.deleted_accounts
    ADD CONSTRAINT deleted_accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.pruning_limits
    ADD CONSTRAINT pruning_limits_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.token_records
    ADD CONSTRAINT token_records_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX account_keys_account_id_name_key ON public.account_keys USING btree (account_id, name);
CREATE UNIQUE INDEX account_keys_key_hash_key ON public.account_keys USING btree (key_hash);
CREATE UNIQUE INDEX accounts_username_key ON public.accounts USING btree (username);
CREATE INDEX attempts_expires_at_idx ON public.attempts USING btree (expires_at);
CREATE INDEX audit_lines_at_idx ON public.audit_lines USING btree (at);
CREATE INDEX deleted_accounts_deleted_at_idx ON public.deleted_accounts USING btree (deleted_at);
CREATE INDEX sessions_account_id_idx ON public.sessions USING btree (account_id);
CREATE INDEX sessions_expires_at_idx ON public.sessions USING btree (expires_at);
CREATE INDEX token_records_account_id_id_idx ON public.token_records USING btree (account_id, id);
CREATE INDEX token_records_account_id_outcome_id_idx ON public.token_records USING btree (account_id, outcome, id);
ALTER TABLE ONLY public.account_keys
    ADD CONSTRAINT account_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON UPDATE CASCADE ON DELETE CASCADE;
