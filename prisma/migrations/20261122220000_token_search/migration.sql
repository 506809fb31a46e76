-- Serves the search for one outcome: with the index on account and id alone it may read all records of an account.
CREATE INDEX "token_records_account_id_outcome_id_idx" ON "token_records"("account_id", "outcome", "id");
